"""A study that is split makes the rows that it makes whole, in the same order."""

import pandas as pd
import pytest
import yaml
from scratch import ROOT
from smoke_tables import plan

from dpbandits.core.errors import InputError
from dpbandits.core.files import write_csv
from dpbandits.offline.engine import attack
from dpbandits.pipeline.jobs import summarise
from dpbandits.pipeline.plan import Plan, load_plan, split

CONFIGS = {path.stem: path for path in sorted((ROOT / "config").glob("*.yaml"))}
STUDIES = {
    key: yaml.safe_load(path.read_text()).get("studies", {}) for key, path in CONFIGS.items()
}
FEW = {"n": [50, 100], "eta": [0.1, 1]}
SMALLER = {  # than at the smoke scale, whose whole tables have golden ones
    "loss_vs": {"vary": {"bandit": FEW, "linear": {"n": [50]}, "rlhf": {"n": [50]}}},
    "tightness": {"designed": 20},
    "attacks": {"instances": 200},
    "choice": {},
    "lower_bound": {"seeds": 20},
    "full_information": {"seeds": 3},
}
SPLIT = [(k, name) for k, own in STUDIES.items() for name in own if "split" in own[name]]


@pytest.mark.parametrize(("paper", "name"), SPLIT)
def test_parts_of_a_study_are_its_table(paper, name, tmp_path, monkeypatch):
    monkeypatch.setattr(attack, "PARENTS", 4)
    monkeypatch.setattr(attack, "CHILDREN", 10)
    entry, params = plan(paper).study(paper, name)
    params |= SMALLER[name]
    key = STUDIES[paper][name]["split"]
    parts = [entry.table(own) for own in split(params, key)]
    assert len(parts) == len(params[key]) > 1
    for place, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{place}.parquet")
    read = [pd.read_parquet(tmp_path / f"{place}.parquet") for place in range(len(parts))]
    write_csv(summarise(read, None), tmp_path / "parts.csv")
    write_csv(entry.table(params), tmp_path / "whole.csv")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_split_by_what_is_no_list_is_refused(tmp_path):
    config = yaml.safe_load(CONFIGS["kl"].read_text())
    config["studies"]["tightness"]["split"] = "famlies"
    (tmp_path / "kl.yaml").write_text(yaml.safe_dump(config))
    run = yaml.safe_load(CONFIGS["config"].read_text()) | {"papers": ["kl"]}
    with pytest.raises(InputError, match=r"tightness\.split.*families"):
        Plan.load(run, tmp_path)


def test_only_scales_above_smoke_are_split():
    paper, name = SPLIT[0]
    assert load_plan("paper", paper).parts(paper, name)
    assert not plan(paper).parts(paper, name)
