"""What `run` refuses: the same as the command line, at once and in one line."""

import math

import numpy as np
import pytest

from dpbandits.cli import main
from dpbandits.core.algorithms import ALGORITHMS, algorithm, get_algorithm, run
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
from dpbandits.core.trajectories import Trajectories

GOOD = {
    "name": "dp-se",
    "setting": {"means": [0.7, 0.5]},
    "epsilon": 1.0,
    "horizon": 100,
    "seeds": range(3),
}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"epsilon": -1.0}, "epsilon = -1.0: allowed: a number above 0, or inf"),
        ({"epsilon": 0}, "epsilon = 0: allowed"),
        ({"epsilon": math.nan}, "epsilon = NaN: allowed"),
        ({"epsilon": "1"}, 'epsilon = "1": allowed'),
        ({"epsilon": True}, "epsilon = true: allowed"),
        ({"horizon": 100.5}, "horizon = 100.5: allowed: a whole number from 1"),
        ({"horizon": 0}, "horizon = 0: allowed"),
        ({"seeds": [1, 1]}, "seeds: 1 is repeated"),
        ({"seeds": []}, "seeds: none given"),
        ({"seeds": [-1]}, "seeds = -1: allowed"),
        ({"seeds": range(10**9)}, "need some .* GB, this machine has"),
        ({"checkpoints": [1.5]}, "checkpoints: allowed: ascending rounds"),
        ({"engine": "slow"}, 'engine = "slow": .*allowed: fast, plain'),
        ({"setting": [0.7]}, "setting: expected key-value pairs"),
    ],
)
def test_wrong_input_is_refused_in_one_line(wrong, said):
    with pytest.raises(InputError, match=said) as error:
        run(**GOOD | wrong)
    assert "\n" not in str(error.value)


def test_an_algorithm_without_privacy_says_so():
    assert get_algorithm("ucb1").notion.name == "not private"
    assert get_algorithm("dp-se").notion.name == "pure"


class Setting(Model):
    pass


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (np.zeros((3, 2)), "returned ndarray; allowed: Trajectories"),
        (None, "returned NoneType"),
        (Trajectories(np.zeros((3, 1))), r"regret has shape \(3, 1\), not \(3, 2\)"),
        (Trajectories([[0, 0]]), "regret is a list, not an array of numbers"),
        (Trajectories(np.full((3, 2), math.nan)), "regret is not finite"),
        (Trajectories(np.full((3, 2), "a")), "regret is a ndarray, not an array of numbers"),
        (Trajectories(np.zeros((3, 2)), curves=3), "curves is a int, not name -> array"),
        (Trajectories(np.zeros((3, 2)), extras={"p": np.zeros(())}), r"extra p has shape \(\)"),
    ],
)
def test_a_wrong_result_names_the_file_and_line_of_the_algorithm(monkeypatch, returned, said):
    name = "wrong"
    monkeypatch.setattr(ALGORITHMS, "_entries", dict(ALGORITHMS._entries))
    monkeypatch.setattr(ALGORITHMS, "_places", dict(ALGORITHMS._places))
    algorithm(name, setting=Setting, source="a test")(lambda *_: returned)
    with pytest.raises(InputError, match=said) as error:
        run(name, {}, math.inf, 10, range(3), [5, 10])
    assert str(error.value).startswith(str(ALGORITHMS.place(name)))
    assert "test_run_input.py:" in str(error.value)


def simulated(path, *more):
    words = ["simulate", "dp-se", "--epsilon", "1", "--horizon", "50", "--seeds", "3"]
    given = dict(zip(more[::2], more[1::2], strict=True))
    setting = given.pop("--setting", '{"means": [0.7, 0.5]}')
    extra = [word for pair in given.items() for word in pair]
    assert main([*words, "--setting", setting, "--output", str(path), *extra]) == 0
    return str(path)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--first-seed", "1"), "seed 3: only in NEW"),
        (("--first-seed", "3"), "nothing that both have"),
        (("--horizon", "60"), "only in NEW"),
        (("--setting", '{"means": [0.7, 0.6]}'), "Other settings"),
    ],
)
def test_compare_names_what_it_did_not_compare(tmp_path, capsys, more, said):
    old, new = simulated(tmp_path / "old.csv"), simulated(tmp_path / "new.csv", *more)
    assert main(["compare", old, new]) == 1
    assert said in capsys.readouterr().out
    assert main(["compare", old, old]) == 0
