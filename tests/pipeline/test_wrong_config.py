"""A wrong config gives one line that names the file (through Snakemake: tests/workflow)."""

import pytest
import yaml
from scratch import MINI, ROOT

from dpbandits.core.errors import InputError
from dpbandits.pipeline.plan import Plan

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


def refused(run: dict, folder) -> str:
    with pytest.raises(InputError) as error:
        Plan.load(run, folder)
    message = str(error.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", WRONG)
def test_wrong_config_of_a_paper(name, tmp_path):
    old, new, expected = WRONG[name]
    assert old in MINI
    (tmp_path / "hu.yaml").write_text(MINI)
    assert Plan.load(RUN, tmp_path).jobs
    (tmp_path / "hu.yaml").write_text(MINI.replace(old, new, 1))
    message = refused(RUN, tmp_path)
    assert f"{tmp_path}/hu.yaml:" in message
    assert expected in message


@pytest.mark.parametrize(("setting", "expected"), [
    ({"scale": "tiny"}, "'smoke', 'paper' or 'extended'"),
    ({"papers": ["xx"]}, "allowed: "),
    ({"seeds_per_block": 0}, "seeds_per_block"),
    ({"colour": "red"}, "unknown key 'colour'"),
])  # fmt: skip
def test_wrong_config_of_a_run(setting, expected, tmp_path):
    (tmp_path / "hu.yaml").write_text(MINI)
    message = refused(RUN | setting, tmp_path)
    assert expected in message
    assert f"{tmp_path}/config.yaml:" in message
