"""From a proposal to what each commit does to which files: one form for whole files, search/replace and diffs.

Every path and every byte is checked here against the base revision; nothing has been written when a proposal is
refused, and it is refused with everything that is wrong with it at once.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from sherloc.errors import ProposalError, UnsafePathError
from sherloc.paths import WRITING, CheckedPath, KnownPaths, PathKind, PathPolicy, inspect_path
from sherloc.printable import printable
from sherloc.protocols import FileState
from sherloc.repair.checking import Judged, check_content, check_patch_names, flag_file, refuse_target
from sherloc.repair.diffs import FilePatch, Placed, deletes_all, made_text, place, read_patch, rewrite
from sherloc.repair.edits import apply_edits
from sherloc.repair.texts import FileText, read_text, whole_text
from sherloc.repair.workshop import Workshop, left_out_in
from sherloc.schema.path_text import shown_path
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile
from sherloc.settings_repair import RepairSettings

_KINDS: dict[str, PathKind] = {"120000": "symlink", "160000": "submodule"}
_FILE_MODES = ("100644", "100755")
_MAX_REASON = 200
_MAX_COMMITS = 50
_MAX_NAMED = 100
_MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """What one commit changes against the one before it; ``files`` by path. ``message`` may be empty."""

    message: str
    files: tuple[FileState, ...]


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """A proposal that can be made into commits.

    Attributes:
        base: The commit that it stands on.
        groups: One for each commit; none is without effect.
        tree: The id of the tree that all of them make.
        diff: All of it as git shows it; see ``Workshop.diff``.
        paths: Every path that differs in the end, sorted.
        added: Lines, as git counts them.
        removed: Likewise.
        flags: What a reviewer should look at twice, one sentence each.
    """

    base: str
    groups: tuple[PlannedGroup, ...]
    tree: str
    diff: str
    paths: tuple[str, ...]
    added: int
    removed: int
    flags: tuple[str, ...] = ()


def plan_changes(
    proposal: PatchProposal, base: Workshop, *, brief_paths: Collection[str], settings: RepairSettings
) -> ChangePlan:
    """Check a proposal against the base and work out what it makes of each file.

    Args:
        proposal: Untrusted.
        base: Holds the revision that the proposal is for.
        brief_paths: The files that may be changed without giving a reason.
        settings: Limits, and which protected places may be written.

    Raises:
        ProposalError: It is refused; its problems are for the model that made it.
        RepositoryError: The repository cannot be read.
    """
    planner = _Planner(base, frozenset(brief_paths), settings)
    if not proposal.commit_groups:
        raise ProposalError(("There is no change in it: put at least one commit into commit_groups.",))
    total = len(proposal.commit_groups)
    if total > _MAX_COMMITS:
        raise ProposalError((f"The proposal has {total} commits; {_MAX_COMMITS} are allowed: make fewer of them.",))
    if left_out := left_out_in(proposal.reasoning):
        planner.flags.append(left_out)
    for number, group in enumerate(proposal.commit_groups, 1):
        planner.add(group, f"commit {number}" if total > 1 else "", group.message.strip() or proposal.title.strip())
    return planner.finish()


@dataclass(slots=True)
class _Wish:
    """What a proposal wants of one path.

    Attributes:
        given: The path as it was written.
        reason: Why a file outside the brief must change.
        file: Whole content or edits; None when it is a part of a diff.
        patch: A part of a diff.
        source: The path whose content it starts from; empty for a new file.
        target: The path that it writes; empty when it only deletes.
    """

    given: str
    reason: str = ""
    file: ProposedFile | None = None
    patch: FilePatch | None = None
    source: str = ""
    target: str = ""

    @property
    def leaves(self) -> bool:
        """Whether its source is gone afterwards."""
        if self.file is not None:
            return self.file.delete
        assert self.patch is not None
        return self.patch.new is None or (self.patch.renamed and not self.patch.copied)


@dataclass
class _Planner:
    """Goes through the commits, each on top of what the ones before it made."""

    base: Workshop
    brief: frozenset[str]
    settings: RepairSettings
    policy: PathPolicy = field(init=False)
    unnamed: set[str] = field(init=False)
    states: dict[str, FileState] = field(default_factory=dict)
    groups: list[PlannedGroup] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    where: str = ""
    named: int = 0
    parts: int = 0

    def __post_init__(self) -> None:
        self.policy = PathPolicy.writing(allow=self.settings.allow_paths)
        self.unnamed = {shown for path in self.base.stored if (shown := shown_path(path)) != path}

    def add(self, group: ProposedCommit, where: str, message: str) -> None:
        """Take one commit up."""
        self.where = f"{where}: " if where else ""
        if not self._names_few(len(group.files)):
            return
        wishes = self._wishes(group)
        if not self._is_small(wishes):
            return
        self.named += max(len(group.files), len(wishes))
        self._resolve(wishes)
        made: dict[str, FileState] = {}
        for wish in wishes:
            if wish.leaves and wish.source:
                made[wish.source] = FileState(wish.source, None)
                if not wish.target and (problem := self._stays(wish)):
                    self._refuse(problem)
        for wish in wishes:
            if len(self.problems) >= _MAX_PROBLEMS:
                self._refuse(f"After {_MAX_PROBLEMS} problems no more was looked at.")
                break
            state = self._state(wish) if wish.target else None
            if state is not None:
                made[state.path] = state
        files = [made[path] for path in sorted(made) if self._current(path) != made[path]]
        for path in sorted(made.keys() - {state.path for state in files}):
            self.flags.append(f"{self.where}{path} was sent without any change.")
        if files:
            self.states.update({state.path: state for state in files})
            self.groups.append(PlannedGroup(message, tuple(files)))
        elif not self.problems:
            self.flags.append(f"{self.where or 'a commit: '}it changes nothing and was left out.")

    def _names_few(self, count: int) -> bool:
        """Whether so many more files are worth looking at."""
        named = self.named + count
        if named > max(_MAX_NAMED, 2 * self.settings.max_files):
            self._refuse(f"The proposal names {named} files; change only what the ticket needs.")
            return False
        return True

    def _is_small(self, wishes: list[_Wish]) -> bool:
        """Whether the parts of a commit are so few that they are worth looking at closely."""
        for wish in wishes:
            self.parts += len(wish.file.edits) if wish.file is not None else len(wish.patch.hunks) if wish.patch else 0
        if self.parts > self.settings.max_changed_lines:
            self._refuse(
                f"The proposal has {self.parts} edits or hunks; {self.settings.max_changed_lines} changed lines are "
                "allowed. Change only what the ticket needs."
            )
        return self.parts <= self.settings.max_changed_lines

    def _stays(self, wish: _Wish) -> str:
        """Why a file is not deleted; empty when it is."""
        before = self._current(wish.source)
        problem = refuse_target(wish.source, before)
        text = None if problem or wish.patch is None else read_text(before.data or b"")
        if text is not None and wish.patch is not None and not deletes_all(wish.patch, text.text):
            return (
                f"{wish.source}: the diff deletes it, and its hunks do not remove all of its lines as they are. To "
                "delete it send its entry with delete; to change it write its path after +++."
            )
        return problem

    def finish(self) -> ChangePlan:
        """The plan of everything.

        Raises:
            ProposalError: Something was wrong.
        """
        self.where = ""
        changed = {path: state for path, state in self.states.items() if state != self._stored(path)}
        if not changed and not self.problems:
            self._refuse("The proposal changes nothing: the files are as it wants them already. Send the change.")
        self._check_sizes(changed)
        self._give_up()
        tree = self.base.tree_of(self.base.base, tuple(changed[path] for path in sorted(changed)))
        added, removed = self.base.scratch.counts(self.base.base, tree)
        if added + removed > self.settings.max_changed_lines:
            self._refuse(
                f"The change adds {added} and removes {removed} lines; {self.settings.max_changed_lines} together are "
                "allowed. Change only what the ticket needs."
            )
        diff = self.base.diff(self.base.base, tree)
        if self.settings.check_names and not self.problems:
            self._take(check_patch_names(self.base, diff, changed))
        self._give_up()
        flags = [flag for path in sorted(changed) for flag in flag_file(changed[path], self._stored(path))]
        flags += [
            f"{path} is in a protected place ({place}), which the settings allow: look at it before you merge anything."
            for path in sorted(changed)
            if (place := WRITING.denies(path))
        ]
        return ChangePlan(
            base=self.base.base, groups=tuple(self.groups), tree=tree, diff=diff, paths=tuple(sorted(changed)),
            added=added, removed=removed, flags=tuple(dict.fromkeys((*self.flags, *flags))),
        )  # fmt: skip

    def _give_up(self) -> None:
        if self.problems:
            raise ProposalError(tuple(dict.fromkeys(self.problems)))

    def _refuse(self, problem: str) -> None:
        self.problems.append(f"{self.where}{printable(problem)}")

    def _take(self, judged: Judged) -> None:
        for problem in judged.problems:
            self._refuse(problem)
        self.flags += judged.flags

    def _stored(self, path: str) -> FileState:
        """A path as the base has it."""
        stored = self.base.stored.get(path)
        if stored is None or stored.mode in _KINDS:
            return FileState(path, None)
        # Old gits stored the group's rights, too.
        mode = "100755" if int(stored.mode, 8) & 0o100 else "100644"
        return FileState(path, self.base.read(path), mode)

    def _current(self, path: str) -> FileState:
        """A path as the commits so far leave it."""
        return self.states.get(path) or self._stored(path)

    def _known(self, without: Collection[str] = ()) -> KnownPaths:
        """The names that exist now."""
        gone = {path for path, state in self.states.items() if state.data is None} | set(without)
        files = {path for path, stored in self.base.stored.items() if stored.mode not in _KINDS} - gone
        files |= {path for path, state in self.states.items() if state.data is not None and path not in gone}
        others = [(path, _KINDS[stored.mode]) for path, stored in self.base.stored.items() if stored.mode in _KINDS]
        return KnownPaths(files, others)

    def _wishes(self, group: ProposedCommit) -> list[_Wish]:
        if not group.diff:
            return [_Wish(file.path, file.reason, file) for file in group.files if self._is_clear(file)]
        known = self._known()
        reasons: dict[str, str] = {}
        for file in group.files:
            if file.content is not None or file.edits or file.delete:
                self._refuse("A commit has either files or a diff, not both: make two commits of it.")
                return []
            checked = self._checked(file.path, known)
            reasons[checked.path if checked else file.path] = file.reason
        patches, problems = read_patch(group.diff)
        for problem in problems:
            self._refuse(problem)
        if not patches and not problems:
            self._refuse("The diff names no file: begin each file with --- a/PATH and +++ b/PATH, then its @@ hunks.")
        wishes: list[_Wish] = []
        for patch in patches if self._names_few(len(patches)) else ():
            checked = self._checked(patch.path, known, quiet=True)
            wishes.append(_Wish(patch.path, reasons.get(checked.path if checked else patch.path, ""), patch=patch))
        return wishes

    def _is_clear(self, file: ProposedFile) -> bool:
        said = [name for name in ("content", "edits", "delete") if getattr(file, name) not in (None, (), False)]
        if len(said) == 1:
            return True
        what = " and ".join(said) if said else "none of content, edits and delete"
        self._refuse(f"{file.path} has {what}: give exactly one of the three.")
        return False

    def _checked(
        self, path: str, known: KnownPaths, *, must_exist: bool = False, quiet: bool = False
    ) -> CheckedPath | None:
        if path in self.unnamed:
            if not quiet:
                self._refuse(f"{path}: the file's name is not valid UTF-8; such files are not changed.")
            return None
        try:
            return inspect_path(path, known, self.policy, must_exist=must_exist)
        except UnsafePathError as error:
            if not quiet:
                self._refuse(f"{error.message} {error.hint}".strip())
            return None

    def _resolve(self, wishes: list[_Wish]) -> None:
        """Find source and target of every wish; what is removed makes room for what is made."""
        known = self._known()
        for wish in wishes:
            if wish.leaves or (wish.patch is not None and wish.patch.copied):
                old = wish.given if wish.patch is None else wish.patch.old or ""
                checked = self._checked(old, known, must_exist=True)
                wish.source = checked.path if checked else ""
        gone = {wish.source for wish in wishes if wish.leaves and wish.source}
        known = self._known(gone)
        for wish in wishes:
            if wish.file is not None and not wish.leaves:
                self._target_of_file(wish, known)
            elif wish.patch is not None and wish.patch.new is not None:
                self._target_of_patch(wish, known)
            if wish.target and known.kind(wish.target) is None:
                known.add_file(wish.target)
        left: set[str] = set()
        made: set[str] = set()
        for wish in wishes:
            # Git says of a file that becomes one of another kind that it is deleted and made.
            remade = wish.patch is not None and wish.patch.old is None
            for path in {wish.target, wish.source if wish.leaves else ""} - {""}:
                if path in made or (path in left and not remade):
                    self._refuse(f"{path} stands twice in one commit: send one entry for it, with the whole change.")
                    wish.target = ""
                (made if path == wish.target else left).add(path)
                self._check_brief(path, wish)

    def _target_of_file(self, wish: _Wish, known: KnownPaths) -> None:
        assert wish.file is not None
        checked = self._checked(wish.given, known)
        if checked is None:
            return
        exists = checked.kind == "file"
        if not exists and wish.file.edits and any(edit.search for edit in wish.file.edits):
            self._checked(wish.given, known, must_exist=True)
            return
        wish.target, wish.source = checked.path, checked.path if exists else ""

    def _target_of_patch(self, wish: _Wish, known: KnownPaths) -> None:
        patch = wish.patch
        assert patch is not None and patch.new is not None
        if patch.renamed and not wish.source:
            return
        checked = self._checked(patch.new, known)
        if checked is None:
            return
        exists = checked.kind == "file"
        if patch.renamed or patch.old is None:
            if exists:
                self._refuse(f"{checked.path} exists already: send its change against the file as it is.")
                return
        elif not exists:
            if any(mark != "+" for hunk in patch.hunks for mark, _ in hunk.lines) or not patch.hunks:
                self._checked(patch.new, known, must_exist=True)
                return
        elif patch.old != patch.new and not self._same_file(patch.old, checked.path, known):
            self._refuse(
                f"The diff changes {patch.old} into {patch.new} and does not call it a rename: write the same path "
                "after --- and +++, or rename from and rename to lines."
            )
            return
        wish.target = checked.path
        if exists:
            wish.source = checked.path

    def _same_file(self, old: str, path: str, known: KnownPaths) -> bool:
        """Whether the old side of a diff is only another spelling, or a name that does not exist (``a.py.orig``)."""
        checked = self._checked(old, known, quiet=True)
        return checked is not None and (checked.path == path or checked.kind is None)

    def _check_brief(self, path: str, wish: _Wish) -> None:
        if path in self.brief:
            return
        reason = " ".join(wish.reason.split())[:_MAX_REASON]
        if reason:
            self.flags.append(f"{path} is not among the files that were located. Reason given: {reason}")
        else:
            self._refuse(
                f"{path} is not among the files that were located for the ticket. If it must change, give a reason for "
                "it; else leave it as it is."
            )

    def _state(self, wish: _Wish) -> FileState | None:
        """What becomes of a wish's target; None when it is refused."""
        before = self._current(wish.source) if wish.source else FileState(wish.target, None)
        problem = refuse_target(wish.target, before, self.settings.max_file_bytes) if wish.source else ""
        old = FileText("") if before.data is None else read_text(before.data)
        if problem or old is None:
            self._refuse(problem or f"{wish.target} is not valid in the encoding that its first bytes name.")
            return None
        mode = self._mode(wish, before)
        text = self._text(wish, old, before.data is not None)
        if text is None or mode is None:
            return None
        try:
            data = old.encode(text)
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            self._refuse(
                f"{wish.target} is stored as {old.encoding}, which has no {text[error.start : error.start + 1]!r} "
                f"(line {line} of the new text): write it with other characters or an escape."
            )
            return None
        if len(data) > self.settings.max_file_bytes:
            most = self.settings.max_file_bytes
            self._refuse(f"{wish.target} would have {len(data)} bytes; {most} are allowed.")
            return None
        state = FileState(wish.target, data, mode)
        whole = wish.file is not None and wish.file.content is not None
        self._take(check_content(state, None if before.data is None else old.text, text, whole=whole))
        return state

    def _mode(self, wish: _Wish, before: FileState) -> str | None:
        mode = (wish.patch.mode if wish.patch is not None else "") or before.mode
        if mode in _FILE_MODES:
            return mode
        what = {"120000": "a symbolic link", "160000": "a submodule"}.get(mode, f"a file of mode {mode}")
        self._refuse(f"{wish.target} would be {what}: only ordinary files can be made (100644, 100755).")
        return None

    def _text(self, wish: _Wish, old: FileText, exists: bool) -> str | None:
        """The new text of a wish's target; None when it is refused."""
        if wish.file is not None and wish.file.content is not None:
            return whole_text(old.text, wish.file.content) if exists else wish.file.content
        if wish.file is not None:
            if not old.text and len(wish.file.edits) == 1 and not wish.file.edits[0].search:
                return wish.file.edits[0].replace
            text, problems = apply_edits(wish.target, old.text, wish.file.edits, most=self.settings.max_file_bytes)
        else:
            assert wish.patch is not None
            text, problems = self._patched(wish.patch, old)
        for problem in problems:
            self._refuse(problem)
        return None if problems else text

    def _patched(self, patch: FilePatch, old: FileText) -> tuple[str, list[str]]:
        """A text as git patches it."""
        if not old.text:
            return made_text(patch)
        if old.mark:
            patch.without_marks()
        parts, problems = place(patch, old.text)
        if problems or not parts:
            return old.text, problems
        return self._by_git(old.text, parts), []

    def _by_git(self, text: str, parts: list[Placed]) -> str:
        name = "file"
        return self.base.scratch.patch({name: text.encode()}, rewrite(name, text, parts))[name].decode()

    def _check_sizes(self, changed: dict[str, FileState]) -> None:
        if len(changed) > self.settings.max_files:
            self._refuse(
                f"The change touches {len(changed)} files; {self.settings.max_files} are allowed. Change only what the "
                "ticket needs."
            )
