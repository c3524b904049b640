"""The code of docs/python-api.md runs; the commands of all pages exist, with their options.

The code runs in a folder with the smoke config and the golden tables, taken as up to date.
"""

import re
import shutil
from inspect import getdoc, isclass, isroutine, signature
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from scratch import ROOT

from dpbandits.core.algorithms import ALGORITHMS, run
from dpbandits.reproduction.pipeline import tables

PAGE = (ROOT / "docs/python-api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "config", folder / "config")
    config = (folder / "config/config.yaml").read_text()
    config = config.replace("results/smoke", "results").replace("scale: paper", "scale: smoke")
    (folder / "config/config.yaml").write_text(config)
    for name in ("envs", "workflow", "figures"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "tests/golden", folder / "results/tables")
    shutil.copytree(ROOT / "figures/kl", folder / "results/figures/kl")
    (folder / "results/claims/hu").mkdir(parents=True)
    shutil.copy(ROOT / "figures/claims.csv", folder / "results/claims/hu/verdicts.csv")
    (tmp_path / "before").symlink_to(ROOT)  # what `git worktree add` makes
    monkeypatch.chdir(folder)
    asked = lambda plan, paths: list(map(Path.stat, paths))  # noqa: E731 (they exist)
    monkeypatch.setattr(tables, "make", asked)  # there is no Snakefile


def test_code_of_the_page_runs(checkout):
    names = {"__name__": "__main__"}
    try:
        for number, block in enumerate(BLOCKS, start=1):
            exec(compile(block, f"python-api.md, block {number}", "exec"), names)
    finally:
        ALGORITHMS._entries.pop("coin-flip", None)  # noqa: SLF001
        ALGORITHMS._functions.pop("coin-flip", None)  # noqa: SLF001
        plt.close("all")
    ours = [x for x in names.values() if getattr(x, "__module__", "").startswith("dpbandits.")]
    functions = [x for x in ours if isroutine(x) or isclass(x)]
    assert len(functions) > 10
    assert all(map(getdoc, functions))
    assert all(f"{name}:" in getdoc(run) for name in list(signature(run).parameters)[1:])
    assert names["result"].regret.shape[0] == 20
    assert len(names["frame"]) >= 20
    # within 5 standard errors: the seeds are fixed, flake rate 6e-7
    assert abs(names["mine"].regret[:, -1].mean() - 125) < 5 * 3.95 / 20**0.5
    assert len(next(iter(names["axes"].values())).lines) == names["chosen"]["algorithm"].nunique()
    assert names["verdict"].verdict == "holds"
    assert 0 < names["loss"].pure_epsilon <= 2 / 2  # at most 2 / scale, by the usual argument
    assert names["recorded"].answer == "refuted"  # noise of scale 1/2: the loss is 2
