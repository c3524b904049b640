"""The scripts of benchmarks/ can be imported; two of their timers run on small cases."""

import runpy

import pytest
from scratch import ROOT

SCRIPTS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_loads(script):
    assert runpy.run_path(str(ROOT / f"benchmarks/{script}.py"))["__doc__"]


@pytest.mark.parametrize("engine", ["fast", "plain"])
def test_timers_run(engine):
    stochastic = runpy.run_path(str(ROOT / "benchmarks/stochastic.py"))
    assert stochastic["seconds_per_run"]("dp-se", {}, 100, 2, engine) > 0
    sparse = runpy.run_path(str(ROOT / "benchmarks/sparse.py"))
    assert sparse["seconds"]("dp-signs", {"d": 20}, 1, 100, engine) > 0
