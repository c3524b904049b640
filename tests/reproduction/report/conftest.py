"""Reports of made-up and published results in a browser, from a file and without a network.

Screenshots go to results/screenshots, or to the folder in REPORT_SCREENSHOTS.
"""

import os
from pathlib import Path

import pytest
from chromium import Chromium
from made_up import published_report, small_report
from scratch import ROOT

SCREENS = {"desktop-light": (1280, 900, False), "phone-dark": (390, 844, True)}


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    return small_report(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    return published_report(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="session")
def report(small):
    return small.folder / "results/report.html"


def pytest_generate_tests(metafunc):
    """Both screens: the tests switch the theme where it matters."""
    if "screen" in metafunc.fixturenames:
        metafunc.parametrize("screen", list(SCREENS), indirect=True, scope="session")


@pytest.fixture(scope="session")
def screen(request):
    with Chromium(*SCREENS[request.param]) as browser:
        browser.emulate(request.param.split("-")[1])
        browser.name = request.param
        yield browser


@pytest.fixture
def new_tab(screen):
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
