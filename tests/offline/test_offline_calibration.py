"""calibrate kl-mab, kl-linear and kl-rlhf: what meets a target on a file of one's own."""

from math import inf, log

import numpy as np
import pandas as pd
import pytest

from dpbandits.offline.mechanisms import own as calibration

EVEN = np.log([0.5, 0.5])
TEXTS = {
    "actions": "x1\n1\n-1\n",
    "line": "x1,reward\n" + "1,1\n0.5,0\n-1,1\n" * 4,
    "slope": "x1,reward\n" + "1,1\n0.5,1\n-1,0\n" * 4,
    "duels": "x1,label\n" + "1,1\n2,0\n" * 6,
    "arms": "arm,reward\n" + "0,1\n0,0\n0,1\n1,0\n1,1\n1,0\n1,0\n" * 2,
}


@pytest.fixture
def files(file):
    return {name: file(text, f"{name}.csv") for name, text in TEXTS.items()}


@pytest.mark.parametrize(
    ("name", "data", "more"), [("linear", "line", []), ("rlhf", "duels", ["B=1"])]
)
def test_a_calibrated_eta_meets_the_target_and_a_smaller_one_does_not(files, ask, name, data, more):
    call = [f"kl-{name}", "--data", files[data], "--actions", files["actions"], "--set", *more]
    found = ask("calibrate", *call, "neighbours=remove,add", "--target-epsilon", "0.5")
    assert found["beta0"] in (0.0, 0.5, 2.0)
    assert found["method"] == "bound"
    assert "repaired" in found["theorem"]
    losses = [
        ask("audit", *call, f"eta={eta!r}", f"beta0={found['beta0']}")["pure_epsilon"]
        for eta in (found["eta"], 0.98 * found["eta"])
    ]
    assert losses[0] <= 0.5 * (1 + 1e-9)
    assert losses[1] > 0.5


def test_a_delta_asks_for_less_regularisation(files, ask):
    call = ["calibrate", "kl-linear", "--data", files["line"], "--actions", files["actions"]]
    call += ["--set", "beta0=0.5", "--target-epsilon", "0.3"]
    assert ask(*call, "--target-delta", "0.05")["eta"] < ask(*call)["eta"]


def test_what_cannot_be_calibrated_is_one_line(files, file, refusal):
    call = ["calibrate", "kl-linear", "--data", files["line"], "--actions", files["actions"]]
    assert "eta" in refusal(*call, "--target-epsilon", "1", "--set", "eta=1")
    call = ["calibrate", "kl-rlhf", "--data", files["duels"], "--actions", files["actions"]]
    line = refusal(*call, "--target-epsilon", "1", "--set", "B=inf")
    assert "none: Theorems 3 and 4 need a finite B" in line
    few = file("arm,reward\n0,1\n0,1\n1,0\n")
    line = refusal("calibrate", "kl-mab", "--data", few, "--target-epsilon", "1")
    assert "fewer than 2 records" in line


@pytest.mark.parametrize(("name", "data", "more"), [
    ("mab", "arms", []),
    ("linear", "slope", ["beta0=0.5", "neighbours=remove"]),
    ("rlhf", "duels", ["B=1", "beta0=0.5", "neighbours=remove"]),
])  # fmt: skip
def test_the_chosen_pair_has_the_highest_j_of_those_that_meet_the_target(
    files, ask, name, data, more
):
    """By every pair of a grid, audited one by one (coarser than the calibrator's own)."""
    actions = [] if name == "mab" else ["--actions", files["actions"]]
    call = [f"kl-{name}", "--data", files[data], *actions, "--set"]
    found = ask("calibrate", *call, *more, "objective_eta=0.3", "--target-epsilon", "2")
    more = [key for key in more if "beta0" not in key]

    def loss(eta, beta0):
        return ask("audit", *call, *more, f"eta={eta!r}", f"beta0={beta0}")["pure_epsilon"]

    assert loss(found["eta"], found["beta0"]) <= 2 * (1 + 1e-9)
    read = {"mab": bandit_case, "linear": line_case, "rlhf": duels_case}[name]
    scores, fitted = read(files[data])

    def j(eta, beta0):
        pi = np.exp(scores(beta0) / eta)
        pi /= pi.sum()
        return pi @ fitted - 0.3 * pi @ np.log(len(pi) * pi)

    best = j(found["eta"], found["beta0"])
    assert best > fitted.mean()  # that of pi0
    for beta0 in (0.0, 0.5, 2.0) if name == "mab" else (0.5,):
        for eta in np.geomspace(0.05, 20, 12):
            if j(eta, beta0) > best + 1e-4:
                assert loss(float(eta), beta0) > 2


def bandit_case(path):
    rows = pd.read_csv(path)
    means, counts = rows.groupby("arm")["reward"].mean(), rows.groupby("arm").size()
    return lambda beta0: (means - beta0 / np.sqrt(counts)).to_numpy(), means.to_numpy()


def line_case(path):
    """d = 1, actions 1 and -1, lambda = 1."""
    x, y = pd.read_csv(path).to_numpy().T
    sigma = 1 + x @ x
    fitted = np.array([1.0, -1.0]) * (x @ y) / sigma
    return lambda beta0: fitted - beta0 / np.sqrt(sigma), fitted


def duels_case(path):
    """d = 1: the likelihood by a plain search over |theta| <= 1."""
    x, label = pd.read_csv(path).to_numpy().T
    signed, thetas = np.where(label > 0, x, -x), np.linspace(-1, 1, 20001)
    theta = thetas[np.argmin(np.log1p(np.exp(-np.outer(thetas, signed))).sum(axis=1))]
    fitted = np.array([1.0, -1.0]) * theta
    return lambda beta0: fitted - beta0 / np.sqrt(1 + x @ x), fitted


# --- the least eta ------------------------------------------------------------------------------
@pytest.mark.parametrize("least", [1e-7, 0.3, 1.0, 77.0])
def test_least_eta_meets_the_target(least):
    for start, step, precision in ((2e9, 2**0.25, 1e-10), (1.0, 2.0, 1e-3)):
        found = calibration.least_eta(lambda eta: eta >= least, start, 2.0, step, precision)
        assert least <= found <= least * (1 + precision)


def test_least_eta_where_none_or_all_meet_the_target():
    for start, step in ((1e9, 2**0.25), (1.0, 2.0)):
        assert calibration.least_eta(lambda eta: False, start, 1.0, step, 1e-3) is None
        assert calibration.least_eta(lambda eta: True, start, 1.0, step, 1e-3) < 1e-9
    # 10^9 is tried first
    assert calibration.least_eta(lambda eta: eta <= 3e8, 1e9, 1.0, 2**0.25, 1e-10) is None


def test_the_highest_j_of_those_that_meet_the_target():
    """Means 1 and 0. By reward alone the policy that plays the first arm most, at its least eta."""
    means = np.array([1.0, 0.0])
    laws = {0.0: np.log([0.7, 0.3]), 1.0: np.log([0.8, 0.2])}
    least = {0.0: 0.5, 1.0: 0.25}
    assert calibration.highest(least, laws, means, EVEN, 0.0, None) == (0.25, 1.0)
    # J = E - w KL: best at ln(p/(1 - p)) = 1/w = ln 3/2, that is eta = ln(7/3)/(1/w) of the least
    best = calibration.highest({0.0: 0.5}, laws, means, EVEN, 1 / log(1.5), lambda b, e: True)
    assert best[0] == pytest.approx(0.5 * log(7 / 3) / log(1.5), rel=0.03)
    refused = calibration.highest({0.0: 0.5}, laws, means, EVEN, 1 / log(1.5), lambda b, e: False)
    assert refused == (0.5, 0.0)
    only = calibration.highest(
        {0.0: 0.5}, {0.0: np.log([1.0, 1e-300])}, means, np.array([0, -inf]), 0.3, lambda b, e: True
    )
    assert only == (0.5, 0.0)
