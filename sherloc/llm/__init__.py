"""Language models behind one seam."""

from sherloc.llm.factory import get_model, guard
from sherloc.llm.limits import Budget, Spent
from sherloc.llm.roles import ROLES, FallbackModel, ModelRoles, Role
from sherloc.llm.scripted import Delayed, ScriptedModel
from sherloc.llm.secrets import Redaction, is_secret_file, redact

__all__ = [
    "ROLES",
    "Budget",
    "Delayed",
    "FallbackModel",
    "ModelRoles",
    "Redaction",
    "Role",
    "ScriptedModel",
    "Spent",
    "get_model",
    "guard",
    "is_secret_file",
    "redact",
]
