"""A wrong config gives one line that names the file (through Snakemake: tests/workflow)."""

import pytest
import yaml
from scratch import MINI, ROOT

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline.plan import Plan

WRONG = {
    "a misspelt key": ("epsilon: [0.5, 2]", "epsilonn: [0.5, 2]", "did you mean 'epsilon'"),
    "epsilon 0": ("epsilon: [0.5, 2]", "epsilon: [0]", "allowed: a number above 0, or inf"),
    "a mean above 1": ("[0.7, 0.5]", "[1.7, 0.5]", "less than or equal to 1"),
    "an unknown setting": ("{means: [0.7, 0.5]}", "{meens: [0.7, 0.5]}", "did you mean 'means'"),
    "an unknown algorithm": ("dp-se", "dp-sse", "did you mean 'dp-se'"),
    "no seeds": ("seeds: 9", "seeds: 0", "greater than or equal to 1"),
    "cells of nobody": ("seeds: 9", "seeds: 9\n    cells_per_job: {dp-sse: 1}", "mean 'dp-se'"),
    "idle source": ('seeds: "assumed: a test"', 'seeds: "dunno"', "must name a place"),
    "not YAML": ("experiments:", "experiments: [", "not valid YAML"),
    "a list": ("experiments:\n  tiny:", "experiments:\n  - tiny:", "dictionary"),
}
RUN = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | {"papers": ["hu"]}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The config of a paper, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/hu.yaml").write_text(MINI)
    return tmp_path / "config/hu.yaml"


def refused(run: dict) -> str:
    with pytest.raises(InputError) as error:
        Plan(run)
    message = str(error.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", WRONG)
def test_wrong_config_of_a_paper(name, config):
    old, new, expected = WRONG[name]
    assert old in MINI
    assert Plan(RUN).jobs
    config.write_text(MINI.replace(old, new, 1))
    message = refused(RUN)
    assert "config/hu.yaml:" in message
    assert expected in message


@pytest.mark.parametrize(("setting", "expected"), [
    ({"scale": "tiny"}, "'smoke', 'paper' or 'extended'"),
    ({"papers": ["xx"]}, "allowed: "),
    ({"seeds_per_block": 0}, "seeds_per_block"),
    ({"colour": "red"}, "unknown key 'colour'"),
])  # fmt: skip
@pytest.mark.usefixtures("config")
def test_wrong_config_of_a_run(setting, expected):
    message = refused(RUN | setting)
    assert expected in message
    assert "config/config.yaml:" in message
