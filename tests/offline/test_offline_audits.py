"""`dpbandits audit` on files of a user's own: the JSON, and one clear line for what is refused."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def data(file):
    """Paths of random data of the three policies, and of three actions."""
    generator = np.random.default_rng(0)
    x = generator.standard_normal((40, 2))
    x /= np.linalg.norm(x, axis=1, keepdims=True) * 1.001
    arms = pd.DataFrame({"arm": np.arange(60) % 3, "reward": generator.random(60)})
    linear = pd.DataFrame(x, columns=["x1", "x2"]).assign(reward=generator.random(40))
    rlhf = pd.DataFrame(2 * x, columns=["x1", "x2"]).assign(label=generator.integers(0, 2, 40))
    tables = {"mab": arms, "linear": linear, "rlhf": rlhf}
    paths = {name: file(t.to_csv(index=False), f"{name}.csv") for name, t in tables.items()}
    return paths | {"actions": file("x1,x2\n1,0\n0,1\n-0.6,0.8\n", "actions.csv")}


def test_neighbours_can_be_chosen(data, ask):
    call = ["audit", "kl-mab", "--data", data["mab"], "--set", "eta=0.5", "beta0=1"]
    default = ask(*call)["pure_epsilon"]
    remove, add, swap = (
        ask(*call, "--neighbours", kind)["pure_epsilon"] for kind in ("remove", "add", "swap")
    )
    assert default == max(remove, add) < swap
    call = ["audit", "kl-rlhf", "--data", data["rlhf"], "--actions", data["actions"]]
    flip = ask(*call, "--set", "eta=1", "beta0=1", "B=1", "--neighbours", "flip")
    assert (flip["method"], flip["worst_neighbour"]["kind"]) == ("exact", "flip")


def test_arms_may_have_names(file, ask):
    """The loss is that of the same arms by number; a reference file gives their order."""
    records = [(0, 1), (1, 0), (0, 1), (1, 1), (2, 1), (2, 0)]
    found, call = {}, ["audit", "kl-mab", "--set", "eta=2", "beta0=0.5"]
    call += ["--neighbours", "swap,remove", "--at-epsilon", "0.1"]
    for arms in ((0, 1, 2), ("red", "blue", "a 3")):
        lines = [f"{arms[arm]},{reward}\n" for arm, reward in records]
        data = file("arm,reward\n" + "".join(lines))
        found[arms] = ask(*call, "--data", data)
    numbered, named = found.values()
    assert named["pure_epsilon"] == numbered["pure_epsilon"]
    assert named["delta_at"] == numbered["delta_at"]
    worst = named["worst_neighbour"]
    assert (worst["arm"], worst["to_arm"], worst["row"]) == ("blue", "a 3", 4)
    assert worst["at_epsilon"]["0.1"]["arm"] == "blue"
    reference = file("arm,weight\na 3,1\nred,1\nblue,1\n", "pi0.csv")
    again = ask(*call, "--data", data, "--reference", reference)
    assert again["pure_epsilon"] == numbered["pure_epsilon"]


def test_the_unconstrained_reading_and_its_failure(data, file, ask, refusal):
    call = ["audit", "kl-rlhf", "--actions", data["actions"], "--set", "eta=1", "beta0=1"]
    free, wide = (
        ask(*call, ball, "--data", data["rlhf"], "--neighbours", "flip")
        for ball in ("B=inf", "B=50")
    )
    assert free["pure_epsilon"] == pytest.approx(wide["pure_epsilon"], rel=1e-9)
    split = file("x1,x2,label\n1,0,1\n0,1,1\n", "split.csv")
    assert "unconstrained MLE does not exist" in refusal(*call, "B=inf", "--data", split)
    near = file("x1,x2,label\n1,0,1\n0,1,1\n1,0,0\n0,1,0\n", "near.csv")
    assert "a neighbour has no MLE" in refusal(*call, "B=inf", "--data", near)
    assert "B" in refusal(*call, "B=0", "--data", near)
    assert "allowed: up to 300, or inf" in refusal(*call, "B=301", "--data", near)


@pytest.mark.parametrize("kinds", ["remove,add", "swap"])
@pytest.mark.parametrize(("name", "more"), [("linear", []), ("rlhf", ["B=2"])])
def test_single_action_has_loss_zero(name, more, kinds, data, file, ask):
    lone = file("x1,x2,weight\n1,0,1\n0,1,0\n", "lone.csv")
    call = ["audit", f"kl-{name}", "--data", data[name], "--actions", lone, "--neighbours", kinds]
    found = ask(*call, "--at-epsilon", "0,1", "--set", "eta=0.1", "beta0=1", *more)
    assert found["method"] == "exact"
    assert found["pure_epsilon"] == found["delta_at"]["0"] == found["delta_at"]["1"] == 0.0
