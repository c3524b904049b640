"""`run`: its arguments to the algorithm, and its streams; results in long form; series."""

import math

import numpy as np
import pytest

from dpbandits.core import algorithms
from dpbandits.core.algorithms import Algorithm, run
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
from dpbandits.core.registry import Registry
from dpbandits.core.streams import streams_for
from dpbandits.core.trajectories import Trajectories, log_spaced


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
    found = Registry("algorithm", lambda name: (), "algorithms")
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
