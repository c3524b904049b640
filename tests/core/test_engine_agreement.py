"""Every fast engine agrees with the algorithm's own file, the plain one.

A paper's folder of tests lists its cases in `engine_cases.py`:

    ENGINES = {"dp-se": ({"means": [0.7, 0.5]}, 0.5, 1000, 40, "distribution"), ...}

name -> setting, epsilon, horizon, number of seeds, kind of agreement; or a list of such cases.
"equal": both use the same random numbers, so every path is the same up to rounding. "distribution":
two-sample tests on regret at three checkpoints and on all other results, with independent seeds.
Seeds are fixed; with other seeds an engine that agrees fails with probability below 1e-6 per
comparison, hence below 0.1% in all some 1,000 comparisons.
"""

import runpy

import numpy as np
import pytest
from scipy import stats
from scratch import ROOT

from dpbandits.core.algorithms import algorithms, run
from dpbandits.core.trajectories import Trajectories, log_spaced

LEAST_P = 1e-6 / 2  # each comparison makes two tests
ROUNDING = {"rtol": 1e-9, "atol": 1e-9}


def cases() -> list:
    params = []
    for path in sorted((ROOT / "tests").glob("*/engine_cases.py")):
        for name, own in runpy.run_path(str(path))["ENGINES"].items():
            for number, case in enumerate(own if isinstance(own, list) else [own]):
                params.append(pytest.param(name, *case, id=f"{name}-{number}"))
    return params


def columns(result: Trajectories) -> dict[str, np.ndarray]:
    """All results, as one column of numbers per name, with a number per seed."""
    arrays = {"regret": result.regret, **result.curves, **result.extras}
    return {
        f"{name}[{i}]": column
        for name, array in arrays.items()
        for i, column in enumerate(np.reshape(array, (len(array), -1)).T)
    }


def least_p(plain: np.ndarray, fast: np.ndarray) -> float:
    """The smaller p-value of the tests of Kolmogorov and Smirnov and of Welch."""
    if np.ptp(np.concatenate([plain, fast])) == 0:
        return 1.0
    p = stats.ks_2samp(plain, fast, method="asymp").pvalue
    if np.ptp(plain) > 0 and np.ptp(fast) > 0:
        p = min(p, stats.ttest_ind(plain, fast, equal_var=False).pvalue)
    return p


@pytest.mark.parametrize(("name", "setting", "epsilon", "horizon", "seeds", "how"), cases())
def test_engine_agrees_with_the_plain_algorithm(name, setting, epsilon, horizon, seeds, how):
    assert algorithms()[name].engine or algorithms()[name].fast, f"{name} has no engine"
    checkpoints = log_spaced(horizon, 4)[1:]
    first = 0 if how == "equal" else seeds  # other seeds: the samples are independent
    plain = run(name, setting, epsilon, horizon, range(seeds), checkpoints, engine="plain")
    fast = run(name, setting, epsilon, horizon, range(first, first + seeds), checkpoints)
    plain, fast = columns(plain), columns(fast)
    assert plain.keys() == fast.keys()
    if how == "equal":
        for column in plain:
            np.testing.assert_allclose(fast[column], plain[column], **ROUNDING, err_msg=column)
    else:
        assert how == "distribution"
        p_values = {column: least_p(plain[column], fast[column]) for column in plain}
        assert min(p_values.values()) > LEAST_P, p_values


def test_every_engine_has_a_case():
    with_engine = {name for name, entry in algorithms().items() if entry.engine}
    assert with_engine <= {case.values[0] for case in cases()}


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_comparison_notices_a_shift_of_one_standard_deviation(shift):
    """And no shift of none; 100 seeds."""
    one, other = np.random.default_rng(1).normal(size=(2, 100))
    assert (least_p(one, other + shift) < LEAST_P) == (shift > 0)
