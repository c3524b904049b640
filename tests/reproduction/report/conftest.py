"""The report of the published figures and ledger, in a browser, from a file and without network."""

from types import SimpleNamespace

import pytest
from scratch import ROOT

from dpbandits.reproduction.ledger.rows import read_ledger
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.report.page import page

TIMES = [{"kind": "draw", "jobs": 3, "wall": 1.25, "cpu": 0.96, "memory": 120.4}]
SCREENS = {"desktop-light": (1280, 900, False), "phone-dark": (390, 844, True)}


@pytest.fixture(scope="session")
def rows():
    return read_ledger(ROOT / "figures/claims.csv")


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    html = page(ROOT / "figures", [*papers()], {"Scale": "paper"}, TIMES)
    path.write_text(html, encoding="utf-8")
    return SimpleNamespace(path=path, html=html)


@pytest.fixture(params=SCREENS)
def browser(request, report):
    """The report, opened; in the end nothing was fetched and no error was recorded."""
    from chromium import Chromium  # which loads Playwright

    with Chromium(*SCREENS[request.param]) as browser:
        browser.emulate(request.param.split("-")[1])
        browser.open(report.path)
        yield browser
        fetched = {url for url in browser.requests if not url.startswith(("data:", "about:"))}
        assert {url.partition("#")[0] for url in fetched} == {report.path.resolve().as_uri()}
        assert browser.errors == []
