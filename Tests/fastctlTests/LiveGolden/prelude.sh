# What commands against real engines share; sourced before each of them.

# The documents of the seed in a new collection: given NAME [OPTION...]
given() {
    fastctl collections delete "$1" --confirm "$1" "${@:2}" >/dev/null 2>&1
    case $FASTCTL_TARGET in solr*) set -- "$1" --setting configSet=webcollection ;; esac
    fastctl collections create "$1" "${@:2}" >/dev/null 2>.given || { cat .given; exit 99; }
    case $FASTCTL_TARGET in solr*) set -- "$1" ;; esac
    printf '{"id":"%s","title":"A page"}\n' ID1 ID2 ID4 |
        fastctl add --collection "$1" --quiet --wait live "${@:2}" >.given 2>&1 || { cat .given; exit 98; }
}

# Serves this page for every request on a port of the system's choice, whose address comes in $PAGE: serve STATUS TEXT
serve() {
    python3 - "$1" "$2" >.page 2>.page.log <<'PYTHON' &
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = sys.argv[2].encode()
        self.send_response(int(sys.argv[1]))
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)
    do_POST = do_HEAD = do_PUT = do_GET
    def log_message(self, *_): pass
server = HTTPServer(("127.0.0.1", 0), Page)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
PYTHON
    server=$!
    trap "kill -KILL $server" EXIT
    until [ -s .page ]; do read -rt 0.02 <> <(:) || :; done
    PAGE=$(cat .page)
}

# Prints what a command says, with the port of the page taken out.
without_port() { "$@" 2>.said; local code=$?; sed "s/${PAGE##*:}/PORT/g" .said >&2; return $code; }
