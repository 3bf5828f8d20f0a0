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

# The rules of the source tree, with their tests.
rules=$(cd "${BASH_SOURCE[0]%/*}/../../../Rules" && pwd)

samples=$(cd "${BASH_SOURCE[0]%/*}/../../../Samples" && pwd)

# Copies the logs of the sample here, all or the one named: sample [NAME]
sample() { cp "$samples"/owssvr-aspnet-tracing/${1:-*.log} .; }

# Copies a web.config of the sample here, under its folder's name: config tracing-on|tracing-off|tracing-in-a-location
config() { cp -r "$samples"/owssvr-aspnet-tracing/"$1" .; }

native=TEST-SP-20110926-1039.log

# The first line of a log as the service writes it.
header() {
    printf '%-23s\t%-40s\t%-6s\t%-30s\t%-30s\t%s\t%-10s\t%s\t%s\r\n' \
        Timestamp Process TID Area Category EventID Level 'Message ' Correlation
}

# A row as the service writes it: row TIME EVENT LEVEL MESSAGE [CORRELATION]
row() {
    printf '%-23s\t%-40s\t0x0EB8\t%-30s\t%-30s\t%s\t%-8s\t%s\t%s\r\n' \
        "$1" 'w3wp.exe (0x1790)' 'SharePoint Foundation' General "$2" "$3" "$4" "${5:- }"
}

# Goes to a folder with the logs of two servers, of which the second begins an hour later; one request goes over both.
farm() {
    mkdir farm && cd farm || exit 97
    local request=4a5d0c9e-1577-472e-a8af-a552b1b4cc39
    {
        header
        row '03/11/2024 10:03:00.10' 8e26 Medium 'The first server begins'
        row '03/11/2024 11:03:00.20' nasq Medium 'Entering monitored scope (Request (GET:http://portal/default.aspx))' $request
        row '03/11/2024 11:03:04.70' b4ly Medium 'Leaving Monitored Scope (Request (GET:http://portal/default.aspx)). Execution Time=4500.25' $request
    } >WFE1-20240311-1003.log
    {
        header
        row '03/11/2024 11:03:01.30' ajlz0 High 'The second server is asked' $request
        row '03/11/2024 11:03:02.40' tkau Unexpected 'System.NullReferenceException: Object reference not set' $request
        row '03/11/2024 11:20:00.00' 8e26 Medium 'The second server goes on'
    } >WFE2-20240311-1103.log
}
