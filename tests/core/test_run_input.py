"""Wrong arguments of `run` and wrong results of algorithms: errors of one line."""

import math

import numpy as np
import pytest

from dpbandits.cli import main
from dpbandits.core import algorithms
from dpbandits.core.algorithms import run
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
from dpbandits.core.registry import Registry
from dpbandits.core.trajectories import Trajectories

GOOD = {
    "name": "dp-se",
    "setting": {"means": [0.7, 0.5]},
    "epsilon": 1.0,
    "horizon": 100,
    "seeds": range(3),
}


@pytest.mark.parametrize(("wrong", "message"), [
    ({"epsilon": -1.0}, "epsilon = -1.0: allowed: a number above 0, or inf"),
    ({"epsilon": 0}, "epsilon = 0: allowed"),
    ({"epsilon": math.nan}, "epsilon = NaN: allowed"),
    ({"epsilon": "1"}, 'epsilon = "1": allowed'),
    ({"epsilon": True}, "epsilon = true: allowed"),
    ({"horizon": 100.5}, "horizon = 100.5: allowed: a whole number from 1"),
    ({"horizon": 0}, "horizon = 0: allowed"),
    ({"seeds": [1, 1]}, "seeds: 1 is repeated"),
    ({"seeds": []}, "seeds: none given"),
    ({"seeds": 5}, "seeds = 5: allowed: whole numbers, e.g. range"),
    ({"seeds": [-1]}, "seeds = -1: allowed"),
    ({"seeds": range(10**9)}, "need some .* GB, this machine has"),
    *(
        ({"checkpoints": rounds}, "checkpoints: allowed: ascending rounds from 1 to .* 100")
        for rounds in ([1.5], [], [0, 5], [5, 5], [5, 4], [5, 101], [-1])
    ),
    ({"engine": "slow"}, 'engine = "slow": .*allowed: fast, plain'),
    ({"setting": [0.7]}, "setting: expected key-value pairs"),
])  # fmt: skip
def test_wrong_argument_is_refused(wrong, message):
    with pytest.raises(InputError, match=message) as error:
        run(**GOOD | wrong)
    assert "\n" not in str(error.value)


class Setting(Model):
    pass


@pytest.mark.parametrize(("returned", "message"), [
    (np.zeros((3, 2)), "returned ndarray; allowed: Trajectories"),
    (None, "returned NoneType"),
    (Trajectories(np.zeros((3, 1))), r"regret has shape \(3, 1\), not \(3, 2\)"),
    (Trajectories([[0, 0]]), "regret is a list, not an array of numbers"),
    (Trajectories(np.full((3, 2), math.nan)), "regret is not finite"),
    (Trajectories(np.full((3, 2), "a")), "regret is a ndarray, not an array of numbers"),
    (Trajectories(np.zeros((3, 2)), curves=3), "curves is a int, not name -> array"),
    (Trajectories(np.zeros((3, 2)), {"c": np.zeros((3, 3))}), r"c has shape \(3, 3\)"),
    (Trajectories(np.zeros((3, 2)), extras={"p": np.zeros(())}), r"extra p has shape \(\)"),
    (Trajectories(np.zeros((3, 2)), extras={"p": np.zeros(2)}), r"extra p has shape \(2,\)"),
    (Trajectories(np.zeros((3, 2)), extras={"p": np.zeros((3, 1, 1))}), "extra p has shape"),
])  # fmt: skip
def test_wrong_result_is_refused_with_file_and_line(monkeypatch, returned, message):
    monkeypatch.setattr(algorithms, "ALGORITHMS", Registry("algorithm"))
    algorithms.algorithm("wrong", setting=Setting, source="a test")(lambda *_: returned)
    with pytest.raises(InputError, match=message) as error:
        run("wrong", {}, math.inf, 10, range(3), [5, 10])
    assert str(error.value).startswith(f"{algorithms.ALGORITHMS.place('wrong')}: 'wrong'")
    assert "test_run_input.py:" in str(error.value)


def simulated(path, **more):
    given = {"setting": '{"means": [0.7, 0.5]}', "epsilon": 1, "horizon": 50, "seeds": 3} | more
    options = [f"--{key}={value}" for key, value in given.items()]
    assert main(["simulate", "dp-se", *options, "--output", str(path)]) == 0
    return str(path)
