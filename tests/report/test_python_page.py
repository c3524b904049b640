"""The page on the Python API says what works: all of its code is run, word for word.

In a folder with the config at smoke scale and, sealed as a run would leave them, the golden tables.
"""

import re
import shutil

import matplotlib.pyplot as plt
import pytest
from scratch import ROOT

from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.files import content, write_seal, write_text
from dpbandits.pipeline.plan import load_plan
from dpbandits.pipeline.recipes import described, wanted

PAGE = (ROOT / "docs/python-api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    config = (tmp_path / "config/config.yaml").read_text()
    config = config.replace("results/smoke", "results").replace("scale: paper", "scale: smoke")
    (tmp_path / "config/config.yaml").write_text(config)
    for name in ("envs", "workflow", "figures"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "tests/golden", tmp_path / "results/tables")
    shutil.copytree(ROOT / "figures/kl", tmp_path / "results/figures/kl")
    monkeypatch.chdir(tmp_path)
    plan = load_plan()
    for path, (recipe, inputs) in described(plan, wanted(plan, ["hu", "kl"])).items():
        if "/claims/" not in path:
            if "/tables/" not in path:
                write_text("", path)  # a part, behind a table that is there
            write_seal(path, recipe, {name: content(name) for name in inputs})


def test_the_page_runs_from_its_first_line_to_its_last(checkout, capsys):
    names = {"__name__": "__main__"}
    try:
        for number, block in enumerate(BLOCKS, start=1):
            exec(compile(block, f"python-api.md, block {number}", "exec"), names)
    finally:
        ALGORITHMS._entries.pop("coin-flip", None)
        ALGORITHMS._places.pop("coin-flip", None)
        plt.close("all")
    assert "is not up to date" not in capsys.readouterr().err
    assert names["result"].regret.shape[0] == 20
    assert len(names["frame"]) >= 20
    assert abs(names["mine"].regret[:, -1].mean() - 125) < 5 * 3.95 / 20**0.5  # 5 standard errors
    assert len(names["axes"][0, 0].lines) == names["chosen"]["algorithm"].nunique()
    assert names["verdict"].verdict == "holds"
    assert 0 < names["loss"].pure_epsilon <= 2 / 2  # at most 2 / scale, by the usual argument
    assert names["found"].refuted  # noise of scale 1/2: the loss is 2


def test_every_page_has_no_other_code():
    """A snippet in another page would not be run."""
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.name != "python-api.md"]
    assert len(pages) > 3
    assert not [page.name for page in pages if "```python" in page.read_text(encoding="utf-8")]
