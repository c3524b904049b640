"""What is read of a user's files and arrays, and each refusal: row, column, what is allowed."""

from types import SimpleNamespace

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.offline.problem import StoredFeatures, StoredPreferences

SETTING = {"eta": 0.5, "beta0": 1.0}


WRONG = ["", "arm\n0\n", "arm,reward\n0,1.5\n", "arm,reward\n0.5,1\n"]


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file_is_one_line(text, file):
    with pytest.raises(dp.InputError) as error:
        dp.policy("kl-mab", file(text), **SETTING)
    assert "\n" not in str(error.value)


READ_ARMS = [  # file, reference; names, arms, pi0
    ("0,1\n2,0.5\n", "", [], [0, 2], [1 / 3] * 3),
    ("0,1\n", "2,1\n0,3\n1,0\n", [], [0], [0.75, 0, 0.25]),
    ("b,1\na,0\n b ,0\n", "", ["b", "a"], [0, 1, 0], [0.5, 0.5]),
    ("b,1\n", "a,1\nb,3\n", ["a", "b"], [1], [0.25, 0.75]),
]


def bandit(file, text, reference=""):
    more = {"reference": file(f"{reference}", "reference.csv")} if reference else {}
    return dp.policy("kl-mab", file(text), **SETTING, **more)


@pytest.mark.parametrize(("text", "reference", "names", "arms", "pi0"), READ_ARMS)
def test_arms_and_their_reference(text, reference, names, arms, pi0, file):
    read = bandit(file, f"arm,reward\n{text}", reference and f"arm,weight\n{reference}")
    assert (read.arms.tolist(), read.names) == (arms, names)
    assert np.exp(read.log_reference) == pytest.approx(pi0)
    assert read.counts.counts.tolist() == np.bincount(arms, minlength=len(pi0)).tolist()


@pytest.mark.parametrize("reference", ["", "a,1\nb,1\n", "0,1\n1,1\n"])
@pytest.mark.parametrize("arms", [1, 3])
def test_a_number_of_arms_must_be_that_of_names_and_weights(reference, arms, file):
    more = {"reference": file(f"arm,weight\n{reference}", "pi0.csv")} if reference else {}
    data = file("arm,reward\n0,1\n" if "0" in reference else "arm,reward\na,1\nb,0\n")
    assert len(dp.policy("kl-mab", data, arms=2, **SETTING, **more).law()) == 2
    with pytest.raises(dp.InputError, match="allowed: 2"):
        dp.policy("kl-mab", data, arms=arms, **SETTING, **more)


@pytest.mark.parametrize(("problem", "longest"), [(StoredFeatures, 1.0), (StoredPreferences, 2.0)])
def test_a_search_plays_what_is_read(problem, longest):
    """Up to the longest vector and both ends of the rewards; beyond them nothing is read."""
    keys = SETTING | {"B": 1} if problem is StoredPreferences else SETTING | {"reward_max": 3.0}
    size = SimpleNamespace(dimension=2, reward_max=3.0)
    records = problem.records(size)
    rows = 2 * np.random.default_rng(0).standard_normal((500, records.width))
    x, rewards = records.decode(rows)
    read = problem(problem.model(data=(x, rewards), **keys))
    assert np.linalg.norm(read.features, axis=1).max() == pytest.approx(longest)
    assert (read.rewards.max(), read.rewards.min()) == ((3.0, 0.0) if "B" not in keys else (1, 1))
    for wrong in ((1.001 * x, rewards), (x, rewards + 0.001), (x, -1 - rewards)):
        with pytest.raises(dp.InputError):
            problem(problem.model(data=wrong, **keys))


def test_a_penalty_is_lost_below_a_hundred_thousand_roundings():
    """One record e1 in the plane leaves e2 to lambda; the trace is 4, so the least is
    1e5 * 2^-53 * 2 * 4; with e2 covered twice no lambda is needed there."""
    least, actions = 1e5 * 2.0**-53 * 8, np.eye(2)

    def context(rows, penalty):
        keys = SETTING | {"penalty": penalty, "B": 1}
        return dp.policy("kl-rlhf", (rows, np.ones(len(rows))), **keys).context(actions)

    x = np.array([[2.0, 0.0]])
    context(x, 1.001 * least)
    with pytest.raises(dp.InputError, match=r"allowed: at least 9e-11"):
        context(x, 0.999 * least)
    covered = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    context(covered, 1e-50)
    with pytest.raises(dp.InputError):  # without one of them nothing is left of its direction
        context(covered[:3], 1e-50)
