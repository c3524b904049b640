"""Documentation: its code runs, and its links work."""

import os
import re
import subprocess
import sys
from urllib.parse import unquote

import pytest
from scratch import ROOT

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
    ("heading", "checks"), [("Add a figure", FIGURE), ("Add a mechanism", MECHANISM)]
)
def test_code_of_how_to_extend_runs(heading, checks, tmp_path):
    """In a new process, since it registers a figure or a mechanism."""
    page = (ROOT / "docs/how-to/extend.md").read_text("utf-8")
    text = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    script = tmp_path / "page.py"
    golden = f"golden = {str(ROOT / 'tests/golden/hu')!r}\n"
    script.write_text(f"import dpbandits\n{code}\n{golden}{checks}", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
    command = [sys.executable, script]
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr


def test_the_site_is_built_without_a_warning(tmp_path):
    """Of a copy of the checkout: pages, anchors and links within the site."""
    from properdocs.commands.build import build
    from properdocs.config import load_config

    for path in ROOT.iterdir():
        if path.name not in ("results", ".git"):
            (tmp_path / path.name).symlink_to(path)
    site = tmp_path / "results/site"
    build(load_config(str(ROOT / "properdocs.yml"), site_dir=str(site), strict=True))
    for page in set(site.rglob("*.html")) - {site / "404.html", site / "search.html"}:
        for target in re.findall(r'<a [^>]*href="(?!\w+:)([^"#]+)', page.read_text("utf-8")):
            linked = page.parent / unquote(target)
            in_checkout = ROOT / os.path.relpath(linked, tmp_path)
            assert linked.exists() or in_checkout.exists(), f"{page.name}: {target}"
    named = re.findall(
        r'getElementById\("([\w-]+)"\)', (ROOT / "site/search.js").read_text("utf-8")
    )
    found = (site / "search.html").read_text("utf-8")
    assert all(f'id="{name}"' in found for name in named), "the search finds no place in its page"


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/**/*.md")), ids=lambda path: path.stem)
def test_formulas_end_on_their_line(path):
    """The site takes a formula that goes on for none, and the text behind it for one."""
    text = re.sub(r"^```.*?^```|`[^`\n]+`|\$\$", "", path.read_text("utf-8"), flags=re.S | re.M)
    assert [line for line in text.splitlines() if line.count("$") % 2] == []
