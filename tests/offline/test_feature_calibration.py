"""calibrate kl-mab, kl-linear and kl-rlhf: what meets a target on a file of one's own."""

import json

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli import main


@pytest.fixture
def files(tmp_path):
    (tmp_path / "actions.csv").write_text("x1\n1\n-1\n", encoding="utf-8")
    (tmp_path / "line.csv").write_text("x1,reward\n" + "1,1\n0.5,0\n-1,1\n" * 4, encoding="utf-8")
    (tmp_path / "duels.csv").write_text("x1,label\n" + "1,1\n2,0\n" * 6, encoding="utf-8")
    (tmp_path / "slope.csv").write_text("x1,reward\n" + "1,1\n0.5,1\n-1,0\n" * 4)
    rewards = "0,1\n0,0\n0,1\n1,0\n1,1\n1,0\n1,0\n" * 2
    (tmp_path / "arms.csv").write_text("arm,reward\n" + rewards, encoding="utf-8")
    names = ("actions", "line", "duels", "arms", "slope")
    return {name: str(tmp_path / f"{name}.csv") for name in names}


def answer(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("name", "file", "more"), [("linear", "line", []), ("rlhf", "duels", ["B=1"])]
)
def test_the_audit_of_a_calibrated_eta_meets_the_target_and_less_does_not(
    files, capsys, name, file, more
):
    own = [f"kl-{name}", "--data", files[file], "--actions", files["actions"], "--set", *more]
    found = answer(capsys, "calibrate", *own, "neighbours=remove,add", "--target-epsilon", "0.5")
    assert found["beta0"] in (0.0, 0.5, 2.0)
    losses = []
    for eta in (found["eta"], 0.98 * found["eta"]):
        keys = [f"eta={eta!r}", f"beta0={found['beta0']}"]
        losses.append(answer(capsys, "audit", *own, *keys)["pure_epsilon"])
    assert losses[0] <= 0.5 * (1 + 1e-9)
    assert losses[1] > 0.5


def test_a_delta_asks_for_less_regularisation(files, capsys):
    own = ["kl-linear", "--data", files["line"], "--actions", files["actions"]]
    target = ["--set", "beta0=0.5", "--target-epsilon", "0.3"]
    pure = answer(capsys, "calibrate", *own, *target)
    approximate = answer(capsys, "calibrate", *own, *target, "--target-delta", "0.05")
    assert approximate["eta"] < pure["eta"]


def test_unknown_keys_and_files_are_one_line(files, capsys):
    own = ["calibrate", "kl-linear", "--data", files["line"], "--actions", files["actions"]]
    assert main([*own, "--target-epsilon", "1", "--set", "eta=1"]) == 2
    assert "eta" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "file", "more"),
    [
        ("mab", "arms", []),
        ("linear", "slope", ["beta0=0.5", "neighbours=remove"]),
        ("rlhf", "duels", ["B=1", "beta0=0.5", "neighbours=remove"]),
    ],
)
def test_the_chosen_pair_has_the_highest_j_of_those_that_meet_the_target(
    files, capsys, name, file, more
):
    """By every pair of a grid, audited one by one (coarser than the calibrator's own)."""
    actions = [] if name == "mab" else ["--actions", files["actions"]]
    own = [f"kl-{name}", "--data", files[file], *actions]
    target = ["--set", *more, "objective_eta=0.3", "--target-epsilon", "2"]
    found = answer(capsys, "calibrate", *own, *target)

    def plain(eta, beta0):
        kept = [key for key in more if "beta0" not in key]
        keys = ["--set", *kept, f"eta={eta!r}", f"beta0={beta0}"]
        return answer(capsys, "audit", *own, *keys)["pure_epsilon"]

    assert plain(found["eta"], found["beta0"]) <= 2 * (1 + 1e-9)
    read = {"mab": bandit_case, "linear": line_case, "rlhf": duels_case}[name]
    scores, fitted = read(files[file])

    def j(eta, beta0):
        pi = np.exp(scores(beta0) / eta)
        pi /= pi.sum()
        return pi @ fitted - 0.3 * pi @ np.log(len(pi) * pi)

    best = j(found["eta"], found["beta0"])
    assert best > fitted.mean()  # that of pi0
    for beta0 in (0.0, 0.5, 2.0) if name == "mab" else (0.5,):
        for eta in np.geomspace(0.05, 20, 12):
            if j(eta, beta0) > best + 1e-4:
                assert plain(float(eta), beta0) > 2


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
