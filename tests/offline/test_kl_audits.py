"""The audits as a user meets them: contract of the JSON, and one clear line for every bad file."""

import json

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli import main

ACTIONS = "x1,x2\n1,0\n0,1\n-0.6,0.8\n"


@pytest.fixture
def files(tmp_path):
    generator = np.random.default_rng(0)
    x = generator.standard_normal((40, 2))
    x /= np.linalg.norm(x, axis=1, keepdims=True) * 1.001
    arms = pd.DataFrame({"arm": np.arange(60) % 3, "reward": generator.random(60)})
    arms.to_csv(tmp_path / "mab.csv", index=False)
    linear = pd.DataFrame(x, columns=["x1", "x2"]).assign(reward=generator.random(40))
    linear.to_csv(tmp_path / "linear.csv", index=False)
    rlhf = pd.DataFrame(2 * x, columns=["x1", "x2"]).assign(label=generator.integers(0, 2, 40))
    rlhf.to_csv(tmp_path / "rlhf.csv", index=False)
    (tmp_path / "actions.csv").write_text(ACTIONS)
    return tmp_path


def audit(capsys, *arguments):
    code = main(["audit", *map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def refused(capsys, *arguments, command="audit"):
    code = main([command, *map(str, arguments)])
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_contract_of_the_three_audits(files, capsys):
    common = ("--at-epsilon", "0.01,0.5", "--set", "eta=0.5", "beta0=1")
    actions = ("--actions", files / "actions.csv")
    calls = [
        ("kl-mab", "--data", files / "mab.csv", *common, "reward_max=1"),
        ("kl-linear", "--data", files / "linear.csv", *actions, *common, "lambda=1"),
        ("kl-rlhf", "--data", files / "rlhf.csv", *actions, *common, "lambda=1", "B=2"),
    ]
    for call in calls:
        found = audit(capsys, *call)
        assert set(found) == {"pure_epsilon", "delta_at", "worst_neighbour", "method"}
        assert set(found["delta_at"]) == {"0.01", "0.5"}
        assert found["pure_epsilon"] > 0
        assert found["method"] == ("exact" if call[0] == "kl-mab" else "bound")
        about = found["worst_neighbour"]
        if found["method"] == "bound":
            assert "repaired (docs/proofs/KL.md)" in about["theorem"]
            about = about["found"]
            assert 0 < about["attained"]["pure"] <= found["pure_epsilon"]
            assert 0 < about["attained"]["0.01"] <= found["delta_at"]["0.01"]
        assert about["kind"] in ("remove", "add")


def test_neighbours_can_be_chosen(files, capsys):
    call = ("kl-mab", "--data", files / "mab.csv", "--set", "eta=0.5", "beta0=1")
    default = audit(capsys, *call)["pure_epsilon"]
    each = {k: audit(capsys, *call, "--neighbours", k)["pure_epsilon"] for k in ("remove", "add")}
    assert default == max(each.values())
    assert audit(capsys, *call, "--neighbours", "swap")["pure_epsilon"] > default
    rlhf = ("kl-rlhf", "--data", files / "rlhf.csv", "--actions", files / "actions.csv")
    flip = audit(capsys, *rlhf, "--set", "eta=1", "beta0=1", "B=1", "--neighbours", "flip")
    assert flip["method"] == "exact"
    assert flip["worst_neighbour"]["kind"] == "flip"


def test_an_arm_without_records_is_infinite_and_k_is_said(files, capsys):
    (files / "gap.csv").write_text("arm,reward\n0,1\n0,0\n2,1\n2,1\n")
    call = ("kl-mab", "--data", files / "gap.csv", "--set", "eta=1", "beta0=1")
    found = audit(capsys, *call)
    assert found["pure_epsilon"] == "inf"
    assert found["worst_neighbour"]["arms"] == 3
    assert found["worst_neighbour"]["arms_from"] == "the largest arm in the data"
    (files / "pi0.csv").write_text("arm,weight\n2,1\n1,0\n0,3\n")
    found = audit(capsys, *call, "--reference", files / "pi0.csv")
    assert found["pure_epsilon"] != "inf"
    assert found["worst_neighbour"]["arms_from"] == "the reference file"


def test_arms_may_have_names(files, capsys):
    """The loss is that of the same arms by number; a reference file gives their order."""
    records = [(0, 1), (1, 0), (0, 1), (1, 1), (2, 1), (2, 0)]
    call = ("--set", "eta=2", "beta0=0.5", "--neighbours", "swap,remove", "--at-epsilon", "0.1")
    found = {}
    for name, arms in {"numbers": (0, 1, 2), "names": ("red", "blue", "a 3")}.items():
        lines = [f"{arms[arm]},{reward}" for arm, reward in records]
        (files / f"{name}.csv").write_text("\n".join(["arm,reward", *lines]))
        found[name] = audit(capsys, "kl-mab", "--data", files / f"{name}.csv", *call)
    for key in ("pure_epsilon", "delta_at"):
        assert found["names"][key] == found["numbers"][key]
    worst = found["names"]["worst_neighbour"]
    assert (worst["arm"], worst["to_arm"], worst["row"]) == ("blue", "a 3", 4)
    assert worst["at_epsilon"]["0.1"]["arm"] == "blue"
    (files / "pi0.csv").write_text("arm,weight\na 3,1\nred,1\nblue,1\n")
    data = ("kl-mab", "--data", files / "names.csv", "--reference", files / "pi0.csv")
    assert audit(capsys, *data, *call)["pure_epsilon"] == found["numbers"]["pure_epsilon"]
    (files / "pi0.csv").write_text("arm,weight\nred,1\nblue,1\n")
    assert "one of red, blue" in refused(capsys, *data, *call)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        (("eta=0", "beta0=1"), "eta"),
        (("eta=1", "beta0=-1"), "beta0"),
        (("eta=1", "beta0=1", "lambda=1"), "unknown key 'lambda'"),
        (("eta=1",), "beta0"),
        (("eta=1e-320", "beta0=1"), "from 1e-100 to 1e100"),
    ],
)
def test_bad_settings(settings, part, files, capsys):
    assert part in refused(capsys, "kl-mab", "--data", files / "mab.csv", "--set", *settings)


def test_the_penalty_is_called_lambda(files, capsys):
    line = refused(capsys, "kl-linear", "--data", files / "linear.csv", "--actions",
                   files / "actions.csv", "--set", "eta=1", "beta0=1", "penalty=1")  # fmt: skip
    assert "unknown key 'penalty'" in line
    assert "lambda" in line


def test_flip_is_only_for_labels(files, capsys):
    line = refused(capsys, "kl-mab", "--data", files / "mab.csv", "--set", "eta=1", "beta0=1",
                   "--neighbours", "flip")  # fmt: skip
    assert "unknown 'flip'" in line


def test_calibration_at_a_delta_and_its_refusal(files, capsys):
    target = ("--target-epsilon", "0.1", "--target-delta", "0.01")
    assert main(["calibrate", "kl-mab", "--data", str(files / "mab.csv"), *target, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["audited_epsilon"] <= 0.1 * (1 + 1e-6)
    (files / "few.csv").write_text("arm,reward\n0,1\n0,1\n1,0\n")
    line = refused(capsys, "kl-mab", "--data", files / "few.csv", "--target-epsilon", "1",
                   command="calibrate")  # fmt: skip
    assert "arm 1 has 1 records" in line


def test_the_unconstrained_reading_and_its_failure(files, capsys):
    rlhf = ("kl-rlhf", "--actions", files / "actions.csv", "--set", "eta=1", "beta0=1")
    free = audit(capsys, *rlhf, "B=inf", "--data", files / "rlhf.csv", "--neighbours", "flip")
    wide = audit(capsys, *rlhf, "B=50", "--data", files / "rlhf.csv", "--neighbours", "flip")
    assert free["pure_epsilon"] == pytest.approx(wide["pure_epsilon"], rel=1e-9)
    (files / "split.csv").write_text("x1,x2,label\n1,0,1\n0,1,1\n")
    line = refused(capsys, *rlhf, "B=inf", "--data", files / "split.csv")
    assert "unconstrained MLE does not exist" in line
    (files / "near.csv").write_text("x1,x2,label\n1,0,1\n0,1,1\n1,0,0\n0,1,0\n")
    line = refused(capsys, *rlhf, "B=inf", "--data", files / "near.csv")
    assert "a neighbour has no MLE" in line
    assert "B" in refused(capsys, *rlhf, "B=0", "--data", files / "near.csv")


@pytest.mark.parametrize("kinds", ["remove,add", "swap"])
def test_single_action_has_loss_zero(kinds, files, capsys):
    (files / "lone.csv").write_text("x1,x2,weight\n1,0,1\n0,1,0\n")
    call = ("--actions", files / "lone.csv", "--neighbours", kinds, "--at-epsilon", "0,1", "--set",
            "eta=0.1", "beta0=1")  # fmt: skip
    for found in (
        audit(capsys, "kl-linear", "--data", files / "linear.csv", *call),
        audit(capsys, "kl-rlhf", "--data", files / "rlhf.csv", *call, "B=2"),
    ):
        assert found["method"] == "exact"
        assert found["pure_epsilon"] == found["delta_at"]["0"] == found["delta_at"]["1"] == 0.0


def test_a_penalty_that_rounding_swallows_is_refused(files, capsys):
    (files / "one.csv").write_text("x1,x2,reward\n0.6,0.8,1\n")
    call = ("kl-linear", "--data", files / "one.csv", "--actions", files / "actions.csv")
    line = refused(capsys, *call, "--set", "eta=1", "beta0=1", "lambda=1e-50")
    assert "lambda = 1e-50 is lost in rounding" in line
    found = audit(capsys, *call, "--set", "eta=1", "beta0=1", "lambda=1e-9")
    assert found["pure_epsilon"] == "inf"  # Theorem 2 needs lambda_min > 1
    assert "none: Theorem 2" in found["worst_neighbour"]["theorem"]
    assert np.isfinite(found["worst_neighbour"]["found"]["attained"]["pure"])
