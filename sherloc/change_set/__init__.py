"""Change sets: ranked evidence -> what must change -> the surgery brief."""

from sherloc.change_set.arbiter import RuleArbiter
from sherloc.change_set.brief import build_brief, checked_lines, issue_summary
from sherloc.change_set.lines import suspect_lines
from sherloc.change_set.short_cut import names_its_place

__all__ = ["RuleArbiter", "build_brief", "checked_lines", "issue_summary", "names_its_place", "suspect_lines"]
