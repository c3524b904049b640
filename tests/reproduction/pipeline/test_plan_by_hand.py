"""The jobs of a config by hand: cells, groups, paths, scales, and errors about wrong configs."""

import math

import numpy as np
import pandas as pd
import pytest
import yaml
from smoke_tables import table_of

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.designs import Design, Point
from dpbandits.reproduction.pipeline import jobs, plan
from dpbandits.reproduction.pipeline.config import Experiment
from dpbandits.reproduction.pipeline.plan import Plan, cells_of
from dpbandits.reproduction.studies import Study

WHY = "assumed: a test"
NEAR, FAR = [0.7, 0.5], [0.9, 0.1]
EXPERIMENT = {
    "about": "small",
    "algorithms": [
        "dp-se",
        {"id": "fast", "name": "adap-ucb", "with": {"alpha": 4.0}},
        "ucb1",  # not private: epsilon = inf alone
    ],
    "settings": {"base": {}, "other": {"means": [0.1, 0.1]}},
    "vary": {"means": [NEAR, FAR]},
    "epsilon": [2, 0.5],
    "horizon": 60,
    "seeds": 9,
    "checkpoints": [10, 60],
    "sources": dict.fromkeys(
        ("settings", "vary", "epsilon", "horizon", "seeds", "checkpoints"), WHY
    ),
}
COUNTED = {"about": "counted", "params": {"n": [3, 1], "m": 5}}
COUNTED |= {"sources": {"n": WHY, "m": "Section 2"}, "scales": {"extended": {"m": 7}}}
PLACES = {"about": "", "figures": "f", "certificates": "c"}
RUN = {
    "papers": ["hu"],
    "scales": {name: PLACES | {"results": f"r-{name}"} for name in ("paper", "smoke", "extended")},
}


class Counts(Model):
    n: list[int]
    m: int


def counted(params):
    return pd.DataFrame({"n": params.n, "third": [params.m / 3 for _ in params.n]})


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A plan of a paper with one experiment and one study, at a scale, with some changes."""
    known = {"hu/counted": Study("hu/counted", counted, Counts, __name__)}
    monkeypatch.setattr(plan, "get_study", lambda name, where="": known[name])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()

    def loaded(scale="paper", experiment=None, study=None, run=None, **more):
        paper = {
            "experiments": {"tiny": EXPERIMENT | (experiment or {})},
            "studies": {"counted": COUNTED | (study or {})},
        }
        (tmp_path / "config/hu.yaml").write_text(yaml.safe_dump(paper | more))
        whole = RUN | {"scale": scale} | (run or {})
        (tmp_path / "config/config.yaml").write_text(yaml.safe_dump(whole))
        return Plan(whole)

    return loaded


def test_cells_are_in_the_order_of_the_config():
    """9 seeds in blocks of 4; two settings of which each takes both means."""
    cells = cells_of(Experiment(**EXPERIMENT), 4, "here")
    blocks = [(0, 4), (4, 4), (8, 1)]
    labels = [{"setting": s, "means": m} for s in ("base", "other") for m in (NEAR, FAR)]
    assert [(c.series, c.labels, c.epsilon, (c.first_seed, c.seeds)) for c in cells] == [
        *(("dp-se", l, e, b) for l in labels for e in (2.0, 0.5) for b in blocks),  # noqa: E741
        *(("fast", l, e, b) for l in labels for e in (2.0, 0.5) for b in blocks),  # noqa: E741
        *(("ucb1", l, math.inf, b) for l in labels for b in blocks),  # noqa: E741
    ]
    last = next(cell for cell in reversed(cells) if cell.series == "fast")
    assert (last.algorithm, last.setting) == ("adap-ucb", {"means": FAR, "alpha": 4.0})
    assert (last.horizon, last.checkpoints) == (60, (10, 60))
    whole = cells_of(Experiment(**EXPERIMENT), "all", "here")
    assert {(c.first_seed, c.seeds) for c in whole} == {(0, 9)}
    spread = EXPERIMENT | {"checkpoints": 4, "horizon": 1000}
    assert cells_of(Experiment(**spread), 9, "here")[0].checkpoints == (1, 10, 100, 1000)


@pytest.mark.parametrize(("own", "run", "sizes"), [
    ({}, {}, [20]),  # all cells: 8 of dp-se, 8 of fast, 4 of ucb1
    ({"cells_per_job": 16}, {"cells_per_job": 3}, [16, 4]),
    ({"cells_per_job": {"fast": 8, "dp-se": 5}}, {}, [4, 5, 3, 8]),
    ({}, {"seeds_per_block": 5, "cells_per_job": 16}, [16, 16, 8]),
    ({"cells_per_job": 1}, {"scale": "smoke"}, [20]),
])  # fmt: skip
def test_cells_are_grouped_into_jobs(load, own, run, sizes):
    plan = load(run.get("scale", "paper"), experiment=own, run=run)
    jobs = plan.jobs_of("hu", "tiny")
    assert [len(job.cells) for job in jobs] == sizes
    assert [job.part for job in jobs] == [*range(len(sizes))]
    cells = [cell for job in jobs for cell in job.cells]
    block = own.get("seeds_per_block") or run.get("seeds_per_block", "all")
    expected = cells_of(plan.experiment("hu", "tiny"), block, "here")
    assert sorted(map(str, cells)) == sorted(map(str, expected))
    assert list(plan.jobs) == [job.name for job in jobs]
    assert plan.jobs_of("hu", "counted") == plan.jobs_of("us", "tiny") == []
    assert jobs[0].metrics == ("regret",)


def test_overrides_of_a_scale(load):
    smaller = {"horizon": 20, "seeds": 2, "checkpoints": [20], "algorithms": ["ucb1"]}
    change = {"experiment": {"scales": {"smoke": smaller}}}
    assert load("paper", **change).experiment("hu", "tiny").horizon == 60
    small = load("smoke", **change)
    assert small.places.results == "r-smoke"
    (job,) = small.jobs.values()
    assert (job.cells[0].series, job.cells[0].horizon, job.cells[0].seeds) == ("ucb1", 20, 2)
    assert job.cells[0].checkpoints == (20,)
    assert small.study("hu", "counted")[1] == {"n": [3, 1], "m": 5}
    assert load("extended").study("hu", "counted")[1] == {"n": [3, 1], "m": 7}


class Pair(Design):
    """The same two settings, one for each seed, at two epsilons; and one setting on common seeds"""

    epsilon: tuple[float, float]

    def points(self):
        drawn = [{"means": NEAR}, {"means": FAR}]
        two = [Point({}, drawn, e, 50, (20, 50), seeds=2) for e in self.epsilon]
        return [*two, Point({}, {"means": FAR}, 1.0, 40, common=("pair",))]

    def table(self, results):
        rows = ((p.epsilon, id, *regret.flat) for p, id, regret in results)
        return pd.DataFrame(rows, columns=["epsilon", "algorithm", 0, 1, 2, 3])


def test_a_design_says_what_is_simulated(load, monkeypatch):
    """What is not private runs once for points that differ in epsilon alone."""
    monkeypatch.setattr(plan, "get_design", lambda name, where="": {"hu/tiny": Pair}[name])
    own = {"params": {"epsilon": [1, 2]}, "algorithms": ["dp-se", "ucb1"], "seeds": 4}
    own |= {"about": "a pair", "sources": {"epsilon": WHY, "seeds": WHY}, "cells_per_job": 2}
    made = load(experiments={"tiny": own}, run={"seeds_per_block": 3})
    cells = [cell for job in made.jobs.values() for cell in job.cells]
    assert sorted((c.series, c.labels["point"], c.first_seed, c.seeds) for c in cells) == [
        *(("dp-se", p, 0, 2) for p in (0, 1)), ("dp-se", 2, 0, 3), ("dp-se", 2, 3, 1),
        ("ucb1", 0, 0, 2), ("ucb1", 2, 0, 3), ("ucb1", 2, 3, 1),
    ]  # fmt: skip
    assert {len(job.cells) for job in made.jobs.values()} == {1, 2}
    table = table_of(made, "hu", "tiny").set_index(["epsilon", "algorithm"])
    alone = [
        run("dp-se", {"means": m}, 2, 50, [s], [20, 50]).regret for s, m in enumerate((NEAR, FAR))
    ]
    assert list(table.iloc[2]) == [*alone[0].flat, *alone[1].flat]
    assert list(table.iloc[1]) == list(table.iloc[3])
    common, entry = Streams(key_of("pair"), (0, 1, 2, 3)), get_algorithm("dp-se")
    setting = entry.setting(means=FAR)
    same = entry.simulation()(setting, 1.0, 40, common, np.array([40])).regret
    assert list(table.iloc[4]) == list(same[:, 0])


REFUSED = [
    {"experiment": {"checkpoints": [10, 61]}},
    {"experiment": {"vary": {"means": [[0.7]]}}},
    {"study": {}, "studies": {"tiny": COUNTED}},
    {"study": {"params": {"n": [1], "m": "x"}}},
    {"scale": "extended", "run": {"scales": {"paper": RUN["scales"]["paper"]}}},
    {"study": {"sources": {"n": WHY}}},
    {"experiment": {"params": {"epsilon": [1, 2]}}},
    {"experiment": {"algorithms": ["dp-sse"]}},
    {"run": {"papers": ["xx"]}},
]


@pytest.mark.parametrize("changes", REFUSED)
def test_wrong_config_is_refused(load, changes):
    with pytest.raises(InputError):
        load(**changes)


def test_results_of_a_job_have_the_labels_of_their_cells(load):
    """Pulls of each arm, in the second block of seeds, as `run` gives them."""
    plan = load(experiment={"metrics": ["pulls"]}, run={"seeds_per_block": 5})
    frame = jobs.simulate(plan.jobs["hu/tiny/0"])
    frame = frame[frame["algorithm"] == "fast"].reset_index(drop=True)
    keys = ["algorithm", "setting", "means", "epsilon", "seed", "metric", "t", "value"]
    assert list(frame.columns) == keys
    assert list(frame.index) == [*range(len(frame))]
    assert set(frame["metric"]) == {"pulls[0]", "pulls[1]"}
    assert set(frame["algorithm"]) == {"fast"}
    chosen = frame[(frame["setting"] == "base") & (frame["epsilon"] == 0.5)]
    chosen = chosen[[means == FAR for means in chosen["means"]]]
    assert sorted(set(chosen["seed"])) == [*range(9)]
    same = run("adap-ucb", {"means": FAR, "alpha": 4.0}, 0.5, 60, range(5, 9), [10, 60])
    same = same.frame((5, 6, 7, 8), (10, 60))
    late, same = (f[(f["seed"] >= 5) & (f["metric"] == "pulls[1]")] for f in (chosen, same))
    assert late["value"].sum() > 0
    assert list(late["value"]) == list(same["value"])
