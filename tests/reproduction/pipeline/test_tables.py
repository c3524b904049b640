"""Tables that are computed in the current process."""

from math import inf

import pandas as pd
import pytest
from scratch import MINI, ROOT

from dpbandits.core.algorithms import allow_only, run
from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline.tables import load_plan, table


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """One small experiment, in a folder of its own."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config/hu.yaml").write_text(MINI)
    lines = (ROOT / "config/config.yaml").read_text().splitlines()
    lines = [line for line in lines if not line.startswith("papers:")]
    (tmp_path / "config/config.yaml").write_text("\n".join([*lines, "papers: [hu]"]))
    monkeypatch.chdir(tmp_path)
    return load_plan("smoke")


def test_claim_without_algorithms_may_compute_its_table(plan):
    """As `dpbandits check` does if results are out of date."""
    alone = table(plan, "hu", "tiny")
    with allow_only(()):
        pd.testing.assert_frame_equal(table(plan, "hu", "tiny"), alone)
        with pytest.raises(InputError, match="name it in runs"):
            run("ucb1", {"means": [0.5, 0.4]}, inf, 4, seeds=range(1))
