"""Files that exist to hold secrets, by name: their text is never shown to a model."""

from __future__ import annotations

import re

_NAMES = frozenset(
    """
    .env .envrc .netrc _netrc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg .npmrc .pypirc .s3cfg .boto
    .vault-token .vault_pass .vault_pass.txt .terraformrc terraform.rc kubeconfig rclone.conf .rclone.conf
    credentials credentials.json credentials.toml credentials.yml credentials.yaml credentials.ini credentials.xml
    secrets.yml secrets.yaml secrets.json secrets.toml secrets.ini secrets.env secret.yml secret.yaml secret.json
    auth.json .dockerconfigjson local.settings.json master.key service-account.json service_account.json
    .bash_history .zsh_history .python_history .psql_history .mysql_history
    """.split()
)
_ENDINGS = (
    ".pem .key .p12 .pfx .jks .keystore .bks .ppk .kdbx .kdb .ovpn .tfstate .tfstate.backup .tfvars .tfvars.json "
    ".gpg .pgp .p8 .agekey"
).split()
_TWO_PARTS = frozenset((".docker/config.json", ".kube/config", ".cargo/credentials", ".gem/credentials"))
_FOLDERS = frozenset((".ssh", ".aws", ".gnupg", ".azure", ".gcloud"))
_OPEN_IN_FOLDERS = frozenset(("known_hosts", "config", "readme.md"))
_SAMPLE = re.compile(r"[._-](?:example|sample|template|dist|defaults?|tmpl|tpl|test)$")
_PATTERNS = re.compile(
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_[a-z0-9_]+)?|\.env\.[a-z0-9_.-]+|[a-z0-9_-]+\.env"
    r"|client_secrets?[a-z0-9._-]*\.json|[a-z0-9_-]*service[_-]?account[_-]?(?:key)?[a-z0-9_-]*\.json"
)


def is_secret_file(path: str) -> bool:
    """Whether a file's name says that it holds secrets.

    Samples (``.env.example``) and public keys do not; code does not either (``secrets.py``): what it holds is found by
    ``redact``.

    Args:
        path: POSIX or Windows, relative or absolute; case does not matter.
    """
    parts = [part for part in path.replace("\\", "/").lower().split("/") if part]
    if not parts:
        return False
    name = parts[-1]
    if name.endswith(".pub") or _SAMPLE.search(name):
        return False
    return (
        name in _NAMES
        or name.endswith(tuple(_ENDINGS))
        or bool(_PATTERNS.fullmatch(name))
        or "/".join(parts[-2:]) in _TWO_PARTS
        or (not _FOLDERS.isdisjoint(parts[:-1]) and name not in _OPEN_IN_FOLDERS)
    )
