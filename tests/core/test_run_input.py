"""Wrong arguments of `run` and wrong results of algorithms: errors of one line."""

import math

import pytest

from dpbandits.core.algorithms import run
from dpbandits.core.errors import InputError

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
