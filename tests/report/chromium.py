"""A real browser for the tests: headless Chromium, driven through its DevTools protocol."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import websocket

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--no-first-run", "--disable-sync", "--disable-dev-shm-usage"),
    *("--disable-component-update", "--remote-debugging-port=0"),
)
SECONDS = 120  # ends what hangs; a page takes some milliseconds
STEP = "JSON.stringify([location.hash, history.state, history.length])"


class Chromium:
    """One page of a browser; remembers every request and every complaint."""

    def __init__(self, width: int = 1280, height: int = 900, phone: bool = False) -> None:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        if not program and "CI" not in os.environ:  # in CI a missing browser is a failure
            pytest.skip("no Chromium here: apt-get install chromium")
        assert program, "the tests of the report need Chromium: apt-get install chromium"
        self.profile = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.count = 0
        self.socket = websocket.create_connection(
            self._address(), timeout=SECONDS, suppress_origin=True
        )
        self.size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.target, self.session = self._tab()

    def _tab(self) -> tuple[str, str]:
        target = self._call("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        attach = {"targetId": target, "flatten": True}
        session = self._call("Target.attachToTarget", attach, None)["sessionId"]
        self._listen(session)
        self._call("Emulation.setDeviceMetricsOverride", self.size, session)
        return target, session

    @contextmanager
    def another_tab(self):
        """A new tab, before the one that is open, closed at the end."""
        before = self.target, self.session
        self.target, self.session = self._tab()
        yield
        self._call("Target.closeTarget", {"targetId": self.target}, None)
        self.target, self.session = before
        self._call("Target.activateTarget", {"targetId": self.target}, None)

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_) -> None:
        with suppress(Exception):
            self._call("Browser.close", {}, None)
        self.socket.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _address(self) -> str:
        for line in self.process.stderr:
            found = re.search(r"ws://\S+", line)
            if found:
                return found[0]
        raise AssertionError("Chromium did not start")

    def _listen(self, session: str) -> None:
        for domain in ("Network", "Log", "Runtime", "Page"):
            self._call(f"{domain}.enable", {}, session)
        frames = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        self._call("Target.setAutoAttach", frames, session)

    def call(self, method: str, params: dict | None = None) -> dict:
        return self._call(method, params or {}, self.session)

    def _call(self, method: str, params: dict, session: str | None) -> dict:
        self.count += 1
        own = self.count
        message = {"id": own, "method": method, "params": params}
        self.socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == own:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.loadingFailed" and not self._closed_by_us(params):
            self.complaints.append(f"request failed: {params}")
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(f"log: {params['entry']}")
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(f"exception: {params['exceptionDetails']}")
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.complaints.append(f"console: {params['args']}")

    @staticmethod
    def _closed_by_us(failure: dict) -> bool:
        """A viewer that a test closes before its frame is there: its loading is cancelled."""
        return failure["type"] == "Document" and failure.get("canceled", False)

    def open(self, page: Path) -> float:
        """Open a local file; seconds until it is loaded, by the browser's own clock.

        (Ours would count what the protocol takes to tell us of each embedded picture.)
        """
        return self._loaded("Page.navigate", {"url": page.resolve().as_uri()})

    def reload(self) -> float:
        return self._loaded("Page.reload", {})

    def _loaded(self, how: str, params: dict) -> float:
        self.run("window.left = true")  # by which the page that goes is known
        self.call(how, params)
        loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd"
        self.wait(f"!window.left && location.protocol === 'file:' && {loaded} > 0")
        return self.run(loaded) / 1000

    def run(self, script: str):
        """The value of a JavaScript expression; promises are awaited."""
        params = {"expression": script, "returnByValue": True, "awaitPromise": True}
        result = self.call("Runtime.evaluate", params)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        end = time.perf_counter() + SECONDS
        while not self.run(f"!!({condition})"):
            assert self.complaints == [], condition
            assert time.perf_counter() < end, f"never true: {condition}, {self.run(STEP)}"
            time.sleep(0.1)

    def emulate(self, **media: str) -> None:
        """prefers_color_scheme="dark", or media="print"."""
        features = [{"name": k.replace("_", "-"), "value": v} for k, v in media.items()]
        screen = {"media": media.pop("media", ""), "features": features}
        self.call("Emulation.setEmulatedMedia", screen)

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39}
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
            if key == "Enter" and kind == "keyDown":
                event["text"] = "\r"
            self.call("Input.dispatchKeyEvent", event)

    def screenshot(self, target: Path, full: bool = False) -> None:
        picture = self.call("Page.captureScreenshot", {"captureBeyondViewport": full})
        target.write_bytes(base64.b64decode(picture["data"]))
