"""Receives notifications of a content distributor on this machine, and prints them: webhooks, if they are signed with the
secret in the file that is the argument, and mail. It needs only Python's standard library."""

import email.parser
import email.policy
import hashlib
import hmac
import http.server
import json
import pathlib
import socketserver
import sys
import threading
import time

secret = pathlib.Path(sys.argv[1]).read_bytes().strip()


def is_genuine(header, body, secret, seconds=300):
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    time_sent, signature = parts.get("t", ""), parts.get("v1", "")
    expected = hmac.new(secret, time_sent.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        return False
    return abs(time.time() - int(time_sent)) <= seconds


class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if is_genuine(self.headers.get("Fastctl-Signature", ""), body, secret):
            event = json.loads(body)
            print(f"webhook {event['id']}, signature verified: {event['kind']}: {event['text']}", flush=True)
            self.send_response(204)
        else:
            print("webhook refused: the signature is wrong, or too old", flush=True)
            self.send_response(403)
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Mailbox(socketserver.StreamRequestHandler):
    def handle(self):
        self.reply("220 ready")
        while line := self.rfile.readline():
            command = line[:4].upper()
            if command == b"DATA":
                self.reply("354 end with a dot")
                self.show(self.message())
            self.reply("221 goodbye" if command == b"QUIT" else "250 ok")

    def message(self):
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        return email.parser.BytesParser(policy=email.policy.default).parsebytes(b"".join(lines))

    def show(self, mail):
        print(f"mail to {mail['To']}: {mail['Subject']}\n\n{mail.get_content().strip()}", flush=True)

    def reply(self, text):
        self.wfile.write(text.encode() + b"\r\n")


webhooks = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
mailbox = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox)
threading.Thread(target=mailbox.serve_forever, daemon=True).start()
print(f"listening on http://127.0.0.1:{webhooks.server_port}/ and smtp://127.0.0.1:{mailbox.server_address[1]}", flush=True)
webhooks.serve_forever()
