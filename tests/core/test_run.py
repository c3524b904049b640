"""`run`: its arguments to the algorithm, and its streams; results in long form; series."""

import math

import numpy as np
import pandas as pd
import pytest

from dpbandits.core import algorithms
from dpbandits.core.algorithms import Algorithm, run
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
from dpbandits.core.registry import Registry
from dpbandits.core.streams import streams_for
from dpbandits.core.trajectories import Trajectories, log_spaced
from dpbandits.reproduction.series import Series, algorithms_of


class Setting(Model):
    size: int = 3


SEEN = {}


def simulate(setting, epsilon, horizon, streams, checkpoints):
    SEEN.update(setting=setting, epsilon=epsilon, horizon=horizon, streams=streams, at=checkpoints)
    return Trajectories(np.tile(1.0 * checkpoints, (len(streams), 1)))


HERE = "dpbandits.stochastic.here"
PRIVATE = Algorithm("private", simulate, Setting, "none", "HU-X", HERE)
OPEN = Algorithm("open", simulate, Setting, "none", None, HERE)


@pytest.fixture(autouse=True)
def two_algorithms(monkeypatch):
    found = Registry("algorithm")
    for entry in (PRIVATE, OPEN):
        found.register(entry.name, lambda _, entry=entry: entry)(simulate)
    monkeypatch.setattr(algorithms, "ALGORITHMS", found)


def test_arguments_of_the_algorithm():
    result = run("private", {"size": 4}, 2, 10, range(5, 8), [2, 10])
    assert SEEN["streams"] == streams_for("private", Setting(size=4), 2.0, 10, range(5, 8))
    assert SEEN["streams"].seeds == (5, 6, 7)
    assert (SEEN["setting"], SEEN["horizon"]) == (Setting(size=4), 10)
    assert type(SEEN["epsilon"]) is float  # one type: one compiled engine
    assert SEEN["at"].dtype == np.int64
    assert result.regret.tolist() == [[2.0, 10.0]] * 3
    run("private", Setting(size=4), 2.0, 10, range(5, 8))
    assert SEEN["at"].tolist() == log_spaced(10).tolist()


@pytest.mark.parametrize("wrong", [
    {"epsilon": math.nan}, {"epsilon": "1"}, {"horizon": 100.5}, {"horizon": True},
    {"seeds": [1, 1]}, {"seeds": []}, {"checkpoints": [5, 4]}, {"engine": "slow"},
    {"setting": {"sise": 3}},
], ids=str)  # fmt: skip
def test_a_wrong_argument_is_one_line(wrong):
    good = {"setting": {}, "epsilon": 1.0, "horizon": 100, "seeds": range(3)}
    with pytest.raises(InputError) as error:
        run("private", **good | wrong)
    assert "\n" not in str(error.value)


# Trajectories


def test_log_spaced_rounds():
    assert log_spaced(16, 5).tolist() == [1, 2, 4, 8, 16]
    assert log_spaced(1000, 4).tolist() == [1, 10, 100, 1000]
    assert log_spaced(3, 50).tolist() == [1, 2, 3]
    assert log_spaced(7, 1).tolist() == [1]
    assert len(log_spaced(10**12)) == 50
    assert log_spaced(10**12).dtype == np.int64


def test_results_in_long_form():
    found = Trajectories(
        np.array([[1, 2], [3, 4]]),
        {"error": np.array([[5, 6], [7, 8]])},
        {"last": np.array([9, 10]), "pulls": np.array([[11, 12], [13, 14]])},
    ).frame((7, 8), np.array([1, 5]))
    rows = [(7, "regret", 1, 1), (7, "regret", 5, 2), (8, "regret", 1, 3), (8, "regret", 5, 4)]
    rows += [(7, "error", 1, 5), (7, "error", 5, 6), (8, "error", 1, 7), (8, "error", 5, 8)]
    rows += [(7, "last", 5, 9), (8, "last", 5, 10), (7, "pulls[0]", 5, 11), (8, "pulls[0]", 5, 13)]
    rows += [(7, "pulls[1]", 5, 12), (8, "pulls[1]", 5, 14)]
    expected = pd.DataFrame(rows, columns=["seed", "metric", "t", "value"])
    pd.testing.assert_frame_equal(found, expected.astype({"value": float}))


# Series, searches


def test_series_is_a_name_or_a_name_with_constants():
    class Params(Model):
        series: tuple[Series, ...]

    params = Params(series=("ucb1", {"id": "mine", "name": "dp-se", "with": {"alpha": 2}}))
    assert [(s.id, s.name, s.with_) for s in params.series] == [
        ("ucb1", "ucb1", {}),
        ("mine", "dp-se", {"alpha": 2}),
    ]
    assert algorithms_of(params) == ["ucb1", "dp-se"]
