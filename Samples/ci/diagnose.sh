#!/bin/bash
# What action.yml runs: one diagnosis, in all the forms that a workflow shows. Everything comes in variables.
#
#   LOGS, WEB_CONFIG         paths, one a line
#   FARM, RULES, SINCE       a file, a folder, a time; may be empty
#   FAIL_ON                  a severity, or never
#   REQUIRE_COMPLETE         true or false
#   FOLDER                   where the reports go
#   SUMMARY                  true or false: whether the report is appended to $GITHUB_STEP_SUMMARY
#   FASTCTL                  the program
set -uo pipefail

arguments=()
add() { if [ -n "$2" ]; then arguments+=("$1=$2"); fi; }
add --farm "${FARM:-}"
add --rules "${RULES:-}"
add --since "${SINCE:-}"
add --fail-on "${FAIL_ON:-error}"
if [ "${REQUIRE_COMPLETE:-false}" = true ]; then arguments+=(--require-complete); fi
while IFS= read -r path; do add --web-config "$path"; done <<<"${WEB_CONFIG:-}"

folder=${FOLDER:-fastctl-diagnosis}
mkdir -p "$folder" || exit 73
arguments+=(-o github -o "markdown=$folder/diagnosis.md" -o "junit=$folder/diagnosis.xml"
    -o "sarif=$folder/diagnosis.sarif" -o "json=$folder/diagnosis.json" --)
while IFS= read -r path; do if [ -n "$path" ]; then arguments+=("$path"); fi; done <<<"${LOGS:-}"

"${FASTCTL:-fastctl}" diagnose "${arguments[@]}"
code=$?

findings=
if [ -f "$folder/diagnosis.xml" ]; then
    if [ "${SUMMARY:-true}" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        cat "$folder/diagnosis.md" >>"$GITHUB_STEP_SUMMARY"
    fi
    # Kinds of rows that no rule explains are results too, and no findings.
    findings=$(grep -o '"ruleId":"FS[0-9]*"' "$folder/diagnosis.sarif" | wc -l)
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf 'exit-code=%s\nfindings=%s\nfolder=%s\n' "$code" "$findings" "$folder" >>"$GITHUB_OUTPUT"
fi
exit "$code"
