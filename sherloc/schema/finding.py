"""The finding: what an exploration of the repository led to, each location checked against the files."""

from __future__ import annotations

from pydantic import Field

from sherloc.schema._model import Model
from sherloc.schema.change_set import TargetLocation


class Finding(Model):
    """A place that an exploration holds to be at fault, and why.

    ``dependencies`` are places that exist (``path`` or ``path::name``) and that a change would touch or rely on;
    ``tests_to_run`` are test files that exist, or names of tests.
    """

    file_path: str
    target_location: TargetLocation
    confidence: float = Field(ge=0, le=1)
    root_cause: str = ""
    fix_idea: str = ""
    dependencies: tuple[str, ...] = ()
    tests_to_run: tuple[str, ...] = ()
    content_hash: str = ""

    @property
    def sentence(self) -> str:
        """The finding in words, as briefs have it."""
        target = self.target_location
        name = f" ({target.function_name})" if target.function_name else ""
        parts = [
            f"{self.file_path}:{target.start_line}-{target.end_line}{name}: {self.root_cause or 'a place to look at.'}"
        ]
        parts += [f"Fix: {self.fix_idea}"] if self.fix_idea else []
        parts += [f"Touches: {', '.join(self.dependencies)}."] if self.dependencies else []
        parts += [f"Tests: {', '.join(self.tests_to_run)}."] if self.tests_to_run else []
        return " ".join(parts)
