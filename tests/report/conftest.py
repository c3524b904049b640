"""The report of a small run in a browser, from a file and without a network.

Screenshots go to results/screenshots, or to the folder in REPORT_SCREENSHOTS.
"""

import os
from pathlib import Path

import pytest
from chromium import Chromium
from scratch import ROOT

SCREENS = {
    "desktop-light": (1280, 900, False),
    "phone-dark": (390, 844, True),
    "desktop-dark": (1280, 900, False),
    "phone-light": (390, 844, True),
}


@pytest.fixture(scope="session")
def project(whole_run):
    return whole_run


@pytest.fixture(scope="session")
def report(project):
    return project.folder / "results/report.html"


def pytest_generate_tests(metafunc):
    """The first two screens: the tests switch the theme where it matters."""
    if "screen" in metafunc.fixturenames:
        metafunc.parametrize("screen", list(SCREENS)[:2], indirect=True, scope="session")


@pytest.fixture(scope="session")
def screen(request):
    with Chromium(*SCREENS[request.param]) as browser:
        browser.emulate(request.param.split("-")[1])
        browser.name = request.param
        yield browser


@pytest.fixture
def new_tab(screen):
    """The same screen without history: a tab keeps 50 entries, and embedded pages add some."""
    with screen.another_tab():
        yield screen
        assert screen.errors == []


@pytest.fixture
def browser(screen, report):
    """The report, opened again; in the end nothing was fetched and no error was recorded."""
    screen.run("history.replaceState(null, '')")  # otherwise the page would open its viewer again
    screen.requests.clear()
    screen.open(report)
    screen.run("localStorage.clear()")
    yield screen
    screen.run("new Promise(done => setTimeout(done, 50))")  # requests may be late
    inside = ("data:", "blob:", "about:", "blob:null")
    fetched = {url for url in screen.requests if not url.startswith(inside)}
    assert {url.partition("#")[0] for url in fetched} == {report.resolve().as_uri()}
    assert screen.errors == []


@pytest.fixture(scope="session")
def screenshots():
    folder = Path(os.environ.get("REPORT_SCREENSHOTS") or ROOT / "results/screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
