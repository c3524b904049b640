"""A browser for the tests: Debian's headless Chromium, driven by Playwright."""

import atexit
import os
import shutil
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

MILLISECONDS = 3_600_000  # a slow machine fails no test


@cache
def playwright():
    """Playwright's driver; a process can have one, with several browsers."""
    driver = sync_playwright().start()
    atexit.register(driver.stop)
    return driver


class Chromium:
    """A page in a browser, with a record of its requests and of its errors."""

    def __init__(self, width: int = 1280, height: int = 900, phone: bool = False) -> None:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        if not program and "CI" not in os.environ:  # in CI a missing browser is a failure
            pytest.skip("no Chromium here: apt-get install -y chromium")
        assert program, "the tests of the report need Chromium: apt-get install -y chromium"
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.browser = playwright().chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            timeout=MILLISECONDS,
        )
        screen = {"width": width, "height": height}
        self.context = self.browser.new_context(viewport=screen, is_mobile=phone)
        self.page = self._tab()

    def _tab(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(MILLISECONDS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(f"exception: {error}"))
        page.on("console", self._record)
        return page

    def _record(self, message) -> None:
        if message.type == "error":
            self.errors.append(f"console: {message.text}")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_) -> None:
        self.browser.close()

    def open(self, page: Path) -> None:
        self.page.goto("about:blank")  # otherwise another fragment of the same file loads nothing
        self.page.goto(page.resolve().as_uri())

    def run(self, script: str):
        """The value of a JavaScript expression; promises are awaited."""
        return self.page.evaluate(script)

    def wait(self, condition: str) -> None:
        self.page.wait_for_function(f"!!({condition})", polling=50)

    def emulate(self, theme: str, media: str = "screen") -> None:
        """The reader's preference for light or dark, on a screen or in print."""
        self.page.emulate_media(media=media, color_scheme=theme)
