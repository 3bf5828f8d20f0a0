# What golden commands share; sourced before each of them.

# A collection with a document for each ID: given ID...
given() {
    fastctl collections create WebCollection 2>/dev/null || exit 99
    for id in "$@"; do printf '{"id":"%s","title":"The page %s"}\n' "$id" "$id"; done >.given.jsonl
    fastctl add -c WebCollection --quiet .given.jsonl >/dev/null 2>&1 || exit 98
}

# What is left in it, one ID a line: left
left() { fastctl find -c WebCollection -o name; }

# Waits until a file holds a text: await FILE TEXT
await() { until grep -q -- "$2" "$1" 2>/dev/null; do read -rt 0.02 <> <(:) || :; done; }

store=${XDG_DATA_HOME}/fastctl/store.sqlite

# Holds the store's write lock until the shell ends: lock_store
lock_store() {
    mkfifo .lock
    python3 - "$store" >.locked 2>&1 <<'PYTHON' &
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
open(".lock").read()
PYTHON
    exec 8>.lock
    await .locked locked
}
