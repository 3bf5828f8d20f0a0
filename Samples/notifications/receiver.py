"""Receives notifications of a content distributor on this machine, and prints them: webhooks, if they are signed with the
secret in the file that is the argument; mail; and Web Push, as the push service and the browser in one. It prints the
subscription that a page in such a browser would send to the server. It needs Python's standard library and openssl."""

import base64
import email.parser
import email.policy
import hashlib
import hmac
import http.server
import json
import pathlib
import secrets
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

secret = pathlib.Path(sys.argv[1]).read_bytes().strip()


def is_genuine(header, body, secret, seconds=300):
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    sent, signature = parts.get("t", "").encode(), parts.get("v1", "").encode()
    expected = hmac.new(secret, sent + b"." + body, hashlib.sha256).hexdigest().encode()
    return hmac.compare_digest(expected, signature) and abs(time.time() - int(sent)) <= seconds


def openssl(*arguments, data=b""):
    return subprocess.run(["openssl", *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout


class Browser:
    """A browser's keys, and the decryption of what is sent to it (RFC 8291)."""

    # What precedes a point on P-256 in a public key.
    head = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")

    def __init__(self):
        # The folder goes when the program ends.
        self.folder = tempfile.TemporaryDirectory()
        self.file = self.folder.name + "/key.pem"
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.file)
        self.point = openssl("pkey", "-in", self.file, "-pubout", "-outform", "DER")[-65:]
        self.auth = secrets.token_bytes(16)

    def subscription(self, endpoint):
        keys = {"p256dh": self.point, "auth": self.auth}
        return {"endpoint": endpoint, "keys": {k: base64.urlsafe_b64encode(v).decode() for k, v in keys.items()}}

    def decrypt(self, body):
        salt, length = body[:16], body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        pathlib.Path(self.folder.name, "sender.der").write_bytes(self.head + sender)
        peer = ["-peerkey", self.folder.name + "/sender.der", "-peerform", "DER"]
        shared = openssl("pkeyutl", "-derive", "-inkey", self.file, *peer)
        material = self.hkdf(shared, self.auth, b"WebPush: info\0" + self.point + sender, 32)
        key = self.hkdf(material, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = self.hkdf(material, salt, b"Content-Encoding: nonce\0", 12)
        # After the text, there is a 2 in the last record, and zeros.
        return self.opened(sealed[:-16], sealed[-16:], key.hex(), nonce).rstrip(b"\0")[:-1]

    def hkdf(self, secret, salt, info, count):
        middle = hmac.new(salt, secret, hashlib.sha256).digest()
        return hmac.new(middle, info + b"\1", hashlib.sha256).digest()[:count]

    def opened(self, sealed, tag, key, nonce):
        """AES-GCM by its parts, because the command openssl does not have it."""
        point = int.from_bytes(openssl("enc", "-aes-128-ecb", "-nopad", "-K", key, data=bytes(16)), "big")
        padded = sealed + bytes(-len(sealed) % 16) + (8 * len(sealed)).to_bytes(16, "big")
        total = 0
        for start in range(0, len(padded), 16):
            total = self.product(total ^ int.from_bytes(padded[start : start + 16], "big"), point)
        counter = nonce.hex() + "00000001"
        expected = openssl("enc", "-aes-128-ctr", "-K", key, "-iv", counter, data=total.to_bytes(16, "big"))
        if not hmac.compare_digest(expected, tag):
            raise ValueError("the message is not for this browser, or was changed")
        return openssl("enc", "-d", "-aes-128-ctr", "-K", key, "-iv", counter[:-1] + "2", data=sealed)

    def product(self, left, right):
        result = 0
        for bit in range(127, -1, -1):
            if left >> bit & 1:
                result ^= right
            right = right >> 1 ^ (0xE1 << 120 if right & 1 else 0)
        return result


class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/push":
            self.receive_push(body)
        elif is_genuine(self.headers.get("Fastctl-Signature", ""), body, secret):
            event = json.loads(body)
            print(f"webhook {event['id']}, signature verified: {event['kind']}: {event['text']}", flush=True)
            self.send_response(204)
        else:
            print("webhook refused: the signature is wrong, or too old", flush=True)
            self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def receive_push(self, body):
        try:
            message = json.loads(browser.decrypt(body))
            print(f"push of {len(body)} bytes, decrypted: {message['kind']}: {message['text']}", flush=True)
            self.send_response(201)
        except (ValueError, IndexError, subprocess.CalledProcessError) as error:
            print(f"push refused: {error}", flush=True)
            self.send_response(400)

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


browser = Browser()
webhooks = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
mailbox = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox)
threading.Thread(target=mailbox.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{webhooks.server_port}/"
print("subscription", json.dumps(browser.subscription(url + "push")))
print(f"listening on {url} and smtp://127.0.0.1:{mailbox.server_address[1]}", flush=True)
webhooks.serve_forever()
