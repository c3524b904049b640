"""calibrate kl-linear and kl-rlhf: the least eta that meets a target on a file of one's own."""

import json

import pytest

from dpbandits.cli import main


@pytest.fixture
def files(tmp_path):
    (tmp_path / "actions.csv").write_text("x1\n1\n-1\n", encoding="utf-8")
    (tmp_path / "line.csv").write_text("x1,reward\n" + "1,1\n0.5,0\n-1,1\n" * 4, encoding="utf-8")
    (tmp_path / "duels.csv").write_text("x1,label\n" + "1,1\n2,0\n" * 6, encoding="utf-8")
    return {name: str(tmp_path / f"{name}.csv") for name in ("actions", "line", "duels")}


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
