"""Keys and passwords never reach a model: which files hold them, and how they are taken out of a text."""

from sherloc.llm.secrets.files import is_secret_file
from sherloc.llm.secrets.prompts import without_secrets
from sherloc.llm.secrets.redaction import REDACTED, Redaction, redact

__all__ = ["REDACTED", "Redaction", "is_secret_file", "redact", "without_secrets"]
