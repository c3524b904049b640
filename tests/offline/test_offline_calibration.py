"""calibrate kl-mab, kl-linear and kl-rlhf: what meets a target on a file of one's own."""

import numpy as np
import pandas as pd
import pytest

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
