"""A port in front of a server that passes everything on, and records the first line of each request."""

import re
import socket
import threading

LINE = re.compile(rb"(?:GET|POST|PUT|HEAD|DELETE) \S+ HTTP/1\.1\r\n")


class Forwarder:
    def __init__(self, port):
        self.port = port
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            for pair in ((client, server, self.note), (server, client, None)):
                threading.Thread(target=self.pass_on, args=pair, daemon=True).start()

    def note(self, data):
        self.requests += [line.decode().split(" HTTP")[0] for line in LINE.findall(data)]

    @staticmethod
    def pass_on(source, sink, note):
        try:
            while data := source.recv(1 << 18):
                if note:
                    note(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()
