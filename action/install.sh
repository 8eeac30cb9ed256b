#!/usr/bin/env bash
# Installs sherloc from the action's own checkout into an environment of its own, which later steps use by path.
set -euo pipefail

case "${SHERLOC_EXTRAS:-}" in
  "" | *[!a-z,-]*) extras="" ;;
  *) extras="[$SHERLOC_EXTRAS]" ;;
esac
# -I: Python would look for its own modules in the current folder first, which is the repository under study.
python3 -I -m venv "$RUNNER_TEMP/sherloc-venv"
"$RUNNER_TEMP/sherloc-venv/bin/pip" install --quiet "$GITHUB_ACTION_PATH$extras"
