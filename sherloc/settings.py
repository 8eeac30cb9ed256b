"""Every knob of sherloc in one tree, with its unit and default.

A repository under study may set only what stands under ``index`` and ``retrieval`` (in ``.sherloc.toml``); never
models, commands, endpoints, limits or path policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from sherloc.errors import SettingsError
from sherloc.printable import printable_values
from sherloc.settings_repair import ForgeSettings, RepairSettings
from sherloc.settings_section import Section
from sherloc.settings_toml import REPOSITORY_SETTINGS_FILE, repository_sections

ContextPart = Literal["diff", "changed", "callers", "imported", "importing", "folder"]
_PARTS: tuple[ContextPart, ...] = ("diff", "changed", "callers", "imported", "importing", "folder")
_MOST = 1_000_000_000
"""Above what any number of lines, files or bytes of one file can mean."""

Glob = Annotated[str, Field(max_length=500)]


class IndexSettings(Section):
    """What is indexed."""

    include_tests: bool = Field(default=False, description="Whether test files are candidates.")
    exclude: Annotated[tuple[Glob, ...], BeforeValidator(printable_values)] = Field(
        default=(), max_length=500, description="Globs of paths to leave out (fnmatch, / is matched by *)."
    )
    max_file_bytes: int = Field(default=2_000_000, ge=1, le=_MOST, description="Larger code is not parsed. Bytes.")
    max_text_file_bytes: int = Field(
        default=40_000, ge=1, le=_MOST, description="Docs and configuration count up to here. Bytes."
    )
    max_line_bytes: int = Field(
        default=20_000, ge=80, le=_MOST, description="Code with a longer line counts as minified. Bytes."
    )
    max_snippet_lines: int = Field(
        default=120, ge=10, le=_MOST, description="Longer functions are split into blocks. Lines."
    )
    unit: Literal["function", "with_neighbours"] = Field(
        default="function",
        description="Whether the semantic channel reads a snippet with the names of its callees and callers.",
    )


class IssueSettings(Section):
    """How much of an issue is read."""

    max_characters: int = Field(
        default=400_000, ge=1000, le=_MOST, description="Of a longer one the begin and the end are read. Characters."
    )


class RetrievalSettings(Section):
    """How candidates are found and fused."""

    k1: float = Field(default=1.2, gt=0, le=1000, description="BM25's term saturation.")
    b: float = Field(default=0.75, ge=0, le=1, description="BM25's length normalisation.")
    channels: tuple[str, ...] = Field(
        default=("lexical", "structural", "graph", "history", "semantic"),
        description="Channels in use; there is also tests (tests like the issue lead to what they call).",
    )
    commits: int = Field(default=2000, ge=0, le=100_000, description="How many commits of the history are read.")
    learned_ranking: bool = Field(
        default=True,
        description="Files, and functions that the semantic channel compares, are put in the order that was learned.",
    )


class PlanSettings(Section):
    """Which stages run. ``offline`` asks no model."""

    mode: Literal["offline", "diagnose", "explore", "auto"] = Field(
        default="offline", description="offline, diagnose, explore, or auto: a model only when it is needed."
    )
    auto_confidence: float = Field(
        default=0.7, ge=0, le=1, description="auto asks a model when the best file is less sure than this."
    )
    issue_characters: int = Field(
        default=12_000, ge=500, le=_MOST, description="Of a longer issue models see the begin and the end. Characters."
    )
    attempts: int = Field(default=2, ge=1, le=10, description="Calls a question whose reply cannot be read.")
    tasks: bool = Field(
        default=True, description="Keep runs with a model as tasks, so that an interrupted one can go on."
    )


class NarrowingSettings(Section):
    """Query expansion and path narrowing by a model (role ``filter``)."""

    expand: bool = Field(default=True, description="Rewrite the issue in technical terms and search again.")
    narrow: bool = Field(default=True, description="Show the paths alone and ask which files matter.")
    files: int = Field(default=15, ge=1, le=50, description="At most so many files are taken.")
    reply_tokens: int = Field(default=512, ge=64, le=8192, description="Longest reply. Tokens.")
    tree_tokens: int = Field(default=8_000, ge=200, le=_MOST, description="A longer list is shown by folder. Tokens.")
    rounds: int = Field(default=3, ge=1, le=6, description="At most so many looks at folders, the last at files.")
    places_per_file: int = Field(default=8, ge=1, le=100, description="Snippets of a file named that join the pool.")


class RerankSettings(Section):
    """How candidates are ordered anew before diagnosis."""

    method: str = Field(
        default="model",
        pattern=r"^(model|none|cross-encoder:.+)$",
        description="model (listwise, role rerank), cross-encoder:NAME_OR_FOLDER, or none.",
    )
    candidates: int = Field(
        default=50, ge=2, le=200, description="How many snippets, and functions, of the retriever's join the pool."
    )
    pool: int = Field(default=100, ge=2, le=400, description="Longest list shown, a model's own finds included.")
    lines: int = Field(default=3, ge=0, le=40, description="Telling lines shown of each.")


class DiagnosisSettings(Section):
    """How candidates are diagnosed."""

    candidates: int = Field(default=20, ge=1, le=200, description="How many candidates are diagnosed.")
    batch: int = Field(default=5, ge=1, le=20, description="Snippets a call of the model.")
    batch_tokens: int = Field(default=6_000, ge=500, le=_MOST, description="Code a call, at most. Tokens (estimated).")
    snippet_lines: int = Field(
        default=150, ge=10, le=_MOST, description="Of a longer snippet the begin is shown. Lines."
    )
    reply_tokens: int = Field(default=400, ge=100, le=8192, description="Longest reply for each snippet. Tokens.")
    probes: int = Field(
        default=3, ge=0, le=10, description="Unrelated snippets put among them: a model that blames these is not heard."
    )
    cache: bool = Field(default=True, description="Keep verdicts, by issue, code, prompt and model.")
    cache_bytes: int = Field(default=200_000_000, ge=1_000_000, le=10**18, description="Size limit of that. Bytes.")


class WeighingSettings(Section):
    """How far a model's verdicts may change the offline ranking."""

    newcomers: int = Field(
        default=1, ge=0, le=5, description="Places among the best 5 that a model may fill from below."
    )
    trusted_newcomers: int = Field(
        default=3, ge=0, le=5, description="The same, when its verdicts and the offline evidence agree."
    )
    agreement: float = Field(
        default=0.5, ge=0, le=1, description="Share of the offline chance of the best 5 that it confirms, to agree."
    )
    most_direct: float = Field(
        default=0.35, gt=0, le=1, description="Above this share of scores of 4 and more, scores tell nothing apart."
    )
    newcomer_score: float = Field(default=3.5, ge=0, le=5, description="Least score of a newcomer.")
    probe_score: float = Field(default=4.0, ge=0, le=5, description="Scores of probes from here on discredit a model.")
    probe_mean: float = Field(default=2.0, ge=0, le=5, description="Likewise their mean, from here on.")


class ExploreSettings(Section):
    """How far an exploration may go."""

    turns: int = Field(default=20, ge=2, le=200, description="Replies of the model, the last one an answer.")
    reply_tokens: int = Field(default=3_000, ge=200, le=64_000, description="Longest reply. Tokens.")
    context_tokens: int = Field(
        default=60_000,
        ge=2_000,
        le=_MOST,
        description="From here on the middle of the conversation is left out. Tokens.",
    )
    tool_characters: int = Field(
        default=12_000,
        ge=500,
        le=25_000,
        description="Longest answer of a tool; the rest can be asked for. Characters.",
    )
    findings: int = Field(default=5, ge=1, le=20, description="At most so many findings count.")

    @property
    def tool_tokens(self) -> int:
        """Most tokens of a tool's answer, at three characters each: code and logs have more. Tokens."""
        return self.tool_characters // 3


class EvidenceSettings(Section):
    """Weights and thresholds of the evidence graph."""

    same_file: float = Field(default=2.0, ge=0, le=1e6, description="Edge weight: both snippets in one file.")
    near: float = Field(default=1.0, ge=0, le=1e6, description="Added when they stand within near_lines of each other.")
    near_lines: int = Field(default=20, ge=0, le=_MOST, description="Lines.")
    same_change_type: float = Field(default=0.5, ge=0, le=1e6, description="Added for the same change type.")
    relation: float = Field(default=1.0, ge=0, le=1e6, description="Added for a call, import or inheritance relation.")
    similar_reason: float = Field(
        default=0.5, ge=0, le=1e6, description="Added, times the Jaccard similarity of the evidence."
    )
    strict: bool = Field(default=False, description="Keep only edges of the same file and change type.")
    min_mean_relevance: float = Field(
        default=2.5, ge=0, le=5, description="Communities below are dropped unless none is left."
    )
    communities: int = Field(default=3, ge=1, le=_MOST, description="How many communities go forward.")
    nodes_per_community: int = Field(default=3, ge=1, le=_MOST, description="How many snippets of each.")
    damping: float = Field(default=0.85, gt=0, lt=1, description="PageRank's damping factor.")
    seed: int = Field(default=0, ge=0, le=2**32 - 1, description="Louvain's random seed.")


class ChangeSetSettings(Section):
    """How the minimal change set is chosen."""

    max_change_sets: int = Field(default=5, ge=1, le=20, description="At most so many.")
    max_files: int = Field(default=4, ge=1, le=20, description="At most so many files are named.")
    min_file_gain: float = Field(
        default=0.08, ge=0, le=1, description="A further file is named from this confidence on."
    )
    sure_file: float = Field(
        default=0.6, ge=0, le=1, description="From this confidence on a file may give several places."
    )
    min_place_confidence: float = Field(
        default=0.2, ge=0, le=1, description="Least confidence of a further place in it."
    )
    max_target_lines: int = Field(default=16, ge=1, le=_MOST, description="Longest span of suspect lines. Lines.")
    target_share: float = Field(
        default=0.7, gt=0, le=1, description="Chance that a span and five lines around it must hold."
    )
    context_lines: int = Field(default=25, ge=0, le=_MOST, description="Lines of context around a target (20-30).")
    short_cut_confidence: float = Field(
        default=0.85, ge=0, le=1, description="An issue above it names its place outright."
    )


class OutputSettings(Section):
    """How much the report holds."""

    top: int = Field(default=50, ge=1, le=_MOST, description="Length of each ranking.")


class CacheSettings(Section):
    """Where the index lives and how large it may grow."""

    folder: str = Field(default="", description="Empty: the user's cache folder (SHERLOC_CACHE overrides).")
    max_bytes: int = Field(
        default=4_000_000_000, ge=1_000_000, le=10**18, description="Size limit of the whole folder. Bytes."
    )
    workers: int = Field(default=0, ge=0, le=1024, description="Parsing processes; 0: one a core, at most 8.")


class VectorSettings(Section):
    """How texts become vectors, and where these are kept."""

    embedder: str = Field(
        default="onnx",
        pattern=r"^(onnx|none|sentence-transformers:.+)$",
        description="onnx, sentence-transformers:NAME_OR_FOLDER, or none.",
    )
    store: str = Field(
        default="sqlite",
        pattern=r"^(sqlite|chroma|chroma:https?://.+)$",
        description="sqlite, chroma, or chroma:http://host:port.",
    )
    max_tokens: int = Field(default=160, ge=8, le=512, description="Longer texts are cut off. Tokens of the embedder.")
    batch: int = Field(default=8, ge=1, description="Texts a batch; onnx takes each by itself.")
    threads: int = Field(default=0, ge=0, description="Texts that onnx runs side by side; 0: one a core, at most 8.")
    max_bytes: int = Field(default=1_000_000_000, ge=1_000_000, description="Size limit of the stored vectors. Bytes.")


class SkeletonSettings(Section):
    """What skeletons keep, and how much a context for a change may hold."""

    docs: Literal["all", "first", "none"] = Field(default="first", description="Documentation in a context.")
    attributes: bool = Field(default=True, description="Whether what constructors set stays.")
    budget: int = Field(default=16_000, ge=200, le=_MOST, description="Longest context. Tokens.")
    diff_share: float = Field(default=0.6, gt=0, le=1, description="The most of the budget that a diff may take.")
    unified: int = Field(default=5, ge=0, le=_MOST, description="Lines around each change of a diff.")
    order: tuple[ContextPart, ...] = Field(default=_PARTS, description="Parts of a context, most relevant first.")
    neighbours: int = Field(default=40, ge=0, le=_MOST, description="The most files around the change that are shown.")


class Price(Section):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False, description="Input. USD per million tokens.")
    output: float = Field(ge=0, allow_inf_nan=False, description="Output, reasoning included. USD per million tokens.")
    cached_input: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Input read from the provider's cache; unset: as input."
    )
    cache_write: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Input written to that cache; unset: as input."
    )


class EndpointSettings(Section):
    """A server that speaks OpenAI's chat completions; named before the colon: ``lab:qwen3``."""

    base_url: str = Field(min_length=1, description="Address up to /v1.")
    api_key_env: str = Field(default="", description="Environment variable that holds the key; empty: no key is sent.")


class ModelSettings(Section):
    """Which model does what, and how models are called. A repository can never set these.

    A model is named ``provider:model``; see docs/models.md. An empty role means ``default``.
    """

    default: str = Field(default="", description="The model of all roles (SHERLOC_MODEL where empty); empty: none.")
    filter: str = Field(default="", description="Cheap first look: relevant or not.")
    diagnose: str = Field(default="", description="Says what a candidate has to do with the issue.")
    arbitrate: str = Field(default="", description="Names the minimal set that must change.")
    rerank: str = Field(default="", description="Orders candidates.")
    explore: str = Field(default="", description="Explores with tools.")
    repair: str = Field(default="", description="Writes the patch.")
    summarise: str = Field(default="", description="Summarises a long task.")
    fallback: tuple[str, ...] = Field(default=(), description="Models asked in turn when the first one fails.")
    endpoints: dict[str, EndpointSettings] = Field(default={}, description="Own servers by name.")
    prices: dict[str, Price] = Field(
        default={}, description="Prices by model, as named in the role. A model without one costs an unknown amount."
    )
    temperature: float | None = Field(default=0.0, ge=0, le=2, description="None: the provider's own.")
    max_tokens: int = Field(default=4096, ge=1, description="Longest reply where the caller names none. Tokens.")
    stream: bool = Field(default=False, description="Receive replies piece by piece: idle_seconds then bounds silence.")
    timeout_seconds: float = Field(default=300.0, gt=0, description="Longest time of one attempt. Seconds.")
    idle_seconds: float = Field(default=60.0, gt=0, description="Longest silence of a streamed reply. Seconds.")
    retries: int = Field(default=3, ge=0, le=20, description="Further attempts after an error that may pass.")
    first_wait_seconds: float = Field(
        default=0.5, ge=0, le=60, description="Wait before the second attempt; doubles each time. Seconds."
    )
    max_wait_seconds: float = Field(
        default=60.0,
        ge=0,
        description="Longest wait before an attempt; a server that asks for more ends the call. Seconds.",
    )
    concurrency: int = Field(default=4, ge=1, le=256, description="Most requests of one model in flight.")
    command_environment: tuple[str, ...] = Field(
        default=(), description="Environment variables that an outside command sees besides the usual ones."
    )
    max_reply_bytes: int = Field(default=4_000_000, ge=1_000, description="Longest reply of an outside command. Bytes.")
    redact_secrets: bool = Field(default=True, description="Take keys and passwords out of every prompt.")


class LimitSettings(Section):
    """What all models together may use in one run; None: no limit."""

    calls: int | None = Field(default=None, ge=0, description="Requests, failed ones included.")
    input_tokens: int | None = Field(default=None, ge=0, description="Tokens sent.")
    output_tokens: int | None = Field(default=None, ge=0, description="Tokens received.")
    cost: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="US dollars; every model in use then needs a price."
    )
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="From the first call. Seconds.")


class CompressionSettings(Section):
    """When the context of a task is summarised."""

    token_threshold: int = Field(default=8000, ge=1, description="Above it the context is summarised. Tokens.")
    keep_recent: int = Field(default=10, ge=0, description="The newest messages stay as they are.")
    min_to_compress: int = Field(default=5, ge=1, description="Fewer messages are not worth a summary.")
    max_request_tokens: int = Field(
        default=32_000, ge=500, description="Of a longer history each message is shortened for the summary. Tokens."
    )


class InheritanceSettings(Section):
    """What a task learns from earlier runs of the same task."""

    enabled: bool = Field(default=True, description="Whether a new task is told what an earlier one found out.")
    max_summary_tokens: int = Field(default=4000, ge=50, description="Longer summaries are cut, and say so. Tokens.")


class ContextSettings(Section):
    """Where and how the work of tasks is kept."""

    base_dir: str = Field(default="", description="Empty: the user's state folder (SHERLOC_STATE overrides).")
    database_url: str = Field(
        default="",
        pattern=r"^(|postgresql(\+psycopg)?://.+)$",
        description="Empty: tasks.db in base_dir; postgresql://host/name: for a fleet that shares base_dir.",
    )
    lease_seconds: float = Field(
        default=60.0, ge=0.2, le=86_400, description="A writer elsewhere that is silent for longer is dead. Seconds."
    )
    fsync: bool = Field(default=True, description="Force each record to the disk: a power cut loses none.")
    compression: CompressionSettings = CompressionSettings()
    inheritance: InheritanceSettings = InheritanceSettings()


class Settings(Section):
    """Every knob. ``Settings()`` is the default; ``load_settings`` merges files and overrides."""

    plan: PlanSettings = PlanSettings()
    issue: IssueSettings = IssueSettings()
    index: IndexSettings = IndexSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    narrowing: NarrowingSettings = NarrowingSettings()
    rerank: RerankSettings = RerankSettings()
    diagnosis: DiagnosisSettings = DiagnosisSettings()
    weighing: WeighingSettings = WeighingSettings()
    explore: ExploreSettings = ExploreSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    change_set: ChangeSetSettings = ChangeSetSettings()
    output: OutputSettings = OutputSettings()
    cache: CacheSettings = CacheSettings()
    vectors: VectorSettings = VectorSettings()
    skeleton: SkeletonSettings = SkeletonSettings()
    models: ModelSettings = ModelSettings()
    limits: LimitSettings = LimitSettings()
    context: ContextSettings = ContextSettings()
    repair: RepairSettings = RepairSettings()
    forge: ForgeSettings = ForgeSettings()


class Overrides(dict[str, dict[str, Any]]):
    """Nested sections that win over the repository's, and ``user``: those that lie below the repository's.

    Programs that act for a user (the command line, servers) give it; ``sherloc.settings_sources`` makes it.
    """

    user: Mapping[str, Mapping[str, Any]] = {}


def load_settings(overrides: Mapping[str, Any] | Settings | None = None, *, repository_toml: bytes = b"") -> Settings:
    """Merge the repository's settings file under what the caller gave.

    Args:
        overrides: A ``Settings`` (then it is used as it is), or nested sections
            (``{"index": {"include_tests": True}}``), or ``Overrides``.
        repository_toml: Content of the repository's ``.sherloc.toml``; only ``index`` and ``retrieval`` may stand in
            it. It is a stranger's: linear in its length, which is limited.

    Raises:
        SettingsError: A name is unknown, a value is out of range, or the repository sets what it may not.
    """
    if isinstance(overrides, Settings):
        return overrides
    if overrides is not None and not isinstance(overrides, Mapping):
        raise SettingsError(
            f"Settings must be a Settings or a mapping of sections, not {type(overrides).__name__}.", hint=_EXAMPLE
        )
    merged: dict[str, dict[str, Any]] = {}
    if isinstance(overrides, Overrides):
        merged.update({name: dict(section) for name, section in overrides.user.items()})
    own = repository_sections(repository_toml)
    for name, section in own.items():
        merged.setdefault(name, {}).update(section)
    for name, section in (overrides or {}).items():
        if not isinstance(section, Mapping):
            raise SettingsError(
                f"The settings section {name!r} must be a mapping, not {type(section).__name__}.", hint=_EXAMPLE
            )
        merged.setdefault(name, {}).update(section)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:120]
        is_own = _sets(own, first["loc"]) and not _sets(overrides or {}, first["loc"])
        source = f" in the repository's {REPOSITORY_SETTINGS_FILE}" if is_own else ""
        why = _NO_OBJECT if first["type"] in ("dict_type", "model_type") else first["msg"]
        raise SettingsError(f"Setting {where!r}{source}: {why}.", hint="See: sherloc schema settings") from error


def _sets(layer: Mapping[str, Any], place: tuple[int | str, ...]) -> bool:
    """Whether the setting at a place of the tree stands in nested sections."""
    section = layer.get(str(place[0])) if place else None
    return isinstance(section, Mapping) and (len(place) < 2 or place[1] in section)


_EXAMPLE = "For example: {'index': {'include_tests': True}}"
_NO_OBJECT = 'A JSON object such as {"NAME": ...} is expected (in a file: a table)'
