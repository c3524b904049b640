"""Documentation: its code runs, its data parse, its links work, and the site needs no network."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from scratch import ROOT

DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(DOCS)): path.read_text("utf-8") for path in DOCS.rglob("*.md")}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE)


FIGURE = """
from dpbandits.reproduction.plots.figures import reader
drawing = my_figure(reader(golden))
assert len(drawing.figure.axes[0].lines) == drawing.data["algorithm"].nunique() > 1
assert drawing.note
"""
# 2 Phi(mu/2) - 1 is delta at epsilon 0
MECHANISM = """
loss = audit_noise(NoiseParams(scale=2.0), (0.0, 1.0, 1e6, math.inf))
assert loss.pure_epsilon == math.inf
assert abs(loss.delta_at[0.0] - (2 * norm.cdf(0.25) - 1)) < 1e-12
assert 0 < loss.delta_at[1.0] < loss.delta_at[0.0]
assert loss.delta_at[1e6] == loss.delta_at[math.inf] == 0
from numpy.random import default_rng
assert set(play(NoiseParams(scale=2.0), 1, 100, default_rng(0))) == {0, 1}
"""


@pytest.mark.parametrize(
    ("page", "checks"),
    [("how-to/add-a-figure.md", FIGURE), ("how-to/add-a-mechanism.md", MECHANISM)],
)
def test_code_of_a_how_to_page_runs(page, checks, tmp_path):
    """In a new process, since it registers a figure or a mechanism."""
    (code,) = blocks(page, "python")
    script = tmp_path / "page.py"
    golden = f"golden = {str(ROOT / 'tests/golden/hu')!r}\n"
    script.write_text(f"import dpbandits\n{code}\n{golden}{checks}", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
    command = [sys.executable, script]
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr


class Links(HTMLParser):
    """The addresses that a page loads, and the targets of its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "a":
            self.targets.append(values.get("href") or "")
        elif tag in ("link", "script", "img"):
            self.loaded += [values[key] for key in ("href", "src") if values.get(key)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site of a copy of the checkout; a warning of MkDocs is an error."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("checkout")
    for path in ROOT.iterdir():
        if path.name not in ("results", ".git"):
            (folder / path.name).symlink_to(path)
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder / "results/site"), strict=True))
    return folder / "results/site"


def test_site_has_all_pages_and_loads_nothing_from_the_network(site):
    pages = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    tutorials = {f"tutorial/{path.stem}.md" for path in (DOCS / "tutorial").glob("*.ipynb")}
    published = {f"figures/{key}/letter.md" for key in ("hu", "fl", "us", "kl")}
    published |= {"figures/claims.md", "figures/reproduced.md"}
    assert pages - {"404.md", "search.md"} == set(PAGES) | tutorials | published
    for path in site.rglob("*.html"):
        loaded = Links(path.read_text("utf-8")).loaded
        assert loaded
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], path


def test_links_of_the_site_lead_to_existing_files(site):
    for path in site.rglob("*.html"):
        if path.name in ("404.html", "search.html"):
            continue
        for target in Links(path.read_text("utf-8")).targets:
            file = unquote(target.split("#")[0])
            if file and not re.match(r"https?:|mailto:", file):
                linked = path.parent / file
                in_checkout = ROOT / os.path.relpath(linked, site.parents[1])
                assert linked.exists() or in_checkout.exists(), f"{path.name}: {target}"
