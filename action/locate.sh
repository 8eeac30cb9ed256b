#!/usr/bin/env bash
# Locates the event's issue, or a log, and writes every form of the report. The issue is read from the event's file by
# sherloc itself: no text of a stranger passes through this shell.
set -euo pipefail

sherloc="${SHERLOC_PROGRAM:-$RUNNER_TEMP/sherloc-venv/bin/sherloc}"
folder="$RUNNER_TEMP/sherloc"
mkdir -p "$folder"

# The runner obeys lines that look like its commands. What sherloc says may quote names and texts of strangers.
# -I: Python would look for its own modules in the current folder first, which is the repository under study.
obey="$(python3 -I -c 'import secrets; print(secrets.token_hex(16))')"
echo "::stop-commands::$obey"
trap 'echo "::$obey::"' EXIT

if [ -n "${SHERLOC_LOG:-}" ]; then
  what=(--log "$SHERLOC_LOG")
else
  cp -- "$GITHUB_EVENT_PATH" "$folder/event.json"
  what=("$folder/event.json")
fi
"$sherloc" locate "${what[@]}" --repo "${SHERLOC_REPOSITORY:-.}" --json > "$folder/report.json"
for form in comment:comment.md sarif:report.sarif html:report.html; do
  "$sherloc" report "$folder/report.json" --format "${form%%:*}" --output "$folder/${form##*:}" --quiet ||
    echo "${form##*:} was not written"
done
cat -- "$folder/comment.md" >> "$GITHUB_STEP_SUMMARY"
confidence="$(python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1], encoding="utf-8"))["confidence"])' "$folder/report.json")"
printf 'folder=%s\nconfidence=%s\n' "$folder" "$confidence" >> "$GITHUB_OUTPUT"
