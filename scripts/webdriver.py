"""A minimal WebDriver client for the tests of the page, without third-party packages."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(what, condition, seconds=20):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"timed out after {seconds} s waiting for {what}")
        time.sleep(0.02)


class Stale(Exception):
    """The page has replaced the element."""


class Browser:
    """A headless Chromium, controlled through chromedriver."""

    def __init__(self):
        driver = shutil.which("chromedriver")
        if not driver:
            raise SystemExit("chromedriver is missing: apt-get install chromium chromium-driver")
        port = free_port()
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        wait_for("chromedriver", self.is_ready)
        flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        options = {"args": [*flags, "--hide-scrollbars", "--window-size=1280,900"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + session["sessionId"]
        self.call("POST", "/timeouts", {"script": 60_000})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

    def is_ready(self):
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    def call(self, method, path, content=None):
        body = None if method != "POST" else json.dumps(content or {}).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.base + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            if value["error"] == "stale element reference":
                raise Stale(path) from None
            raise AssertionError(f"{path}: {value['message']}") from None

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a JavaScript function body; promises are awaited."""
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    def find(self, selector):
        """The element, as soon as it exists."""
        query = {"using": "css selector", "value": selector}
        found = wait_for(selector, lambda: self.call("POST", "/elements", query))
        return found[0][ELEMENT]

    def ask(self, method, selector, what):
        """Sends a command to the element; retries if the page has replaced it."""
        while True:
            try:
                return self.call(method, f"/element/{self.find(selector)}/{what}")
            except Stale:
                continue

    def click(self, selector):
        self.ask("POST", selector, "click")

    def keys(self, text):
        """Presses keys one after the other, in the focused element."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        sources = [{"type": "key", "id": "keyboard", "actions": actions}]
        self.call("POST", "/actions", {"actions": sources})

    def drag(self, selector, target):
        """Presses the mouse on one element and lets it go over another."""
        move = lambda place: {"type": "pointerMove", "duration": 30, "origin": {ELEMENT: self.find(place)}, "x": 0, "y": 0}
        actions = [move(selector), {"type": "pointerDown", "button": 0}, move(target), {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def text(self, selector):
        return self.ask("GET", selector, "text")

    def devtools(self, command, **parameters):
        order = {"cmd": command, "params": parameters}
        return self.call("POST", "/goog/cdp/execute", order)

    def resize(self, width, height, scale=1, is_phone=False):
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=is_phone,
        )

    def scheme(self, name):
        feature = {"name": "prefers-color-scheme", "value": name}
        self.devtools("Emulation.setEmulatedMedia", features=[feature])

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def errors(self):
        """The console errors since the last call."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
