"""A wrong config gives one line that names the file (through Snakemake: tests/workflow)."""

import pytest
import yaml
from scratch import MINI, ROOT

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline.plan import Plan

WRONG = [
    ("epsilon: [0.5, 2]", "epsilonn: [0.5, 2]"),
    ("epsilon: [0.5, 2]", "epsilon: [0]"),
    ("[0.7, 0.5]", "[1.7, 0.5]"),
    ("{means: [0.7, 0.5]}", "{meens: [0.7, 0.5]}"),
    ("dp-se", "dp-sse"),
    ("seeds: 9", "seeds: 0"),
    ("seeds: 9", "seeds: 9\n    cells_per_job: {dp-sse: 1}"),
    ('seeds: "assumed: a test"', 'seeds: "dunno"'),
    ("experiments:", "experiments: ["),
    ("experiments:\n  tiny:", "experiments:\n  - tiny:"),
]
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


@pytest.mark.parametrize(("old", "new"), WRONG)
def test_wrong_config_of_a_paper(old, new, config):
    assert old in MINI
    assert Plan(RUN).jobs
    config.write_text(MINI.replace(old, new, 1))
    assert "config/hu.yaml:" in refused(RUN)


@pytest.mark.parametrize(
    "setting", [{"scale": "tiny"}, {"papers": ["xx"]}, {"seeds_per_block": 0}, {"colour": "red"}]
)
@pytest.mark.usefixtures("config")
def test_wrong_config_of_a_run(setting):
    assert "config/config.yaml:" in refused(RUN | setting)
