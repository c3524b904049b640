"""`dpbandits.policy` on one's own data: the printed law, its exact loss, and what is refused."""

import math

import numpy as np
import pytest
from printed_policies import pessimistic_linear, pessimistic_mab, rlhf_mle

import dpbandits as dp

SHAPE = {"eta": 0.5, "beta0": 0.3}
ACTIONS = np.array([[0.9, 0.1], [0.0, 0.7], [-0.4, 0.4]])
ROWS = np.array([[0.8, 0.2], [0.1, -0.9], [0.5, 0.5], [-0.3, 0.6], [0.7, -0.1]])
REWARDS = np.array([1.0, 0.25, 0.5, 0.0, 0.75])
LABELS = np.array([1.0, 0.0, 0.0, 1.0, 1.0])
ARMS = np.array([0, 1, 1, 2, 0, 2, 1])
OF_ARMS = np.array([1.0, 0.5, 0.0, 0.25, 0.75, 1.0, 0.5])
KINDS = ("kl-mab", "kl-linear", "kl-rlhf")
MORE = {"kl-mab": {}, "kl-linear": {"penalty": 2.0}, "kl-rlhf": {"penalty": 2.0, "radius": 0.8}}
DATA = {"kl-mab": (ARMS, OF_ARMS), "kl-linear": (ROWS, REWARDS), "kl-rlhf": (ROWS, LABELS)}
ASKED = {"kl-mab": (), "kl-linear": (ACTIONS,), "kl-rlhf": (ACTIONS,)}


def policy(kind, data=None, **options):
    options = SHAPE | MORE[kind] | {"noise": "simulated", "seed": 1} | options
    return dp.policy(kind, DATA[kind] if data is None else data, **options)


def printed(kind, data) -> np.ndarray:
    """The law by the file that is the paper's formula."""
    uniform, shape = np.full(3, 1 / 3), (SHAPE["beta0"], SHAPE["eta"])
    records = list(zip(*data, strict=True))
    if kind == "kl-mab":
        return pessimistic_mab(records, uniform, *shape)
    if kind == "kl-linear":
        return pessimistic_linear(records, ACTIONS, uniform, *shape, 2.0)
    pairs = [(row, 0 * row, label) for row, label in records]
    return rlhf_mle(pairs, ACTIONS, uniform, *shape, 2.0, B=0.8)


def neighbours(kind):
    """All removals, and additions of extreme records."""
    first, second = DATA[kind]
    for i in range(len(first)):
        yield np.delete(first, i, 0), np.delete(second, i)
    arms = kind == "kl-mab"
    longest = 2.0 if kind == "kl-rlhf" else 1.0
    turns = np.linspace(0, 2 * math.pi, 25)[:, None]
    for new in range(3) if arms else longest * np.hstack([np.cos(turns), np.sin(turns)]):
        for value in (0.0, 1.0):
            yield np.concatenate([first, [new]]), np.append(second, value)


@pytest.mark.parametrize("kind", KINDS)
def test_law_is_the_printed_one(kind):
    law = policy(kind).law(*ASKED[kind])
    assert np.exp(law) == pytest.approx(printed(kind, DATA[kind]), rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_law(kind):
    """1,500 draws with a fixed seed, within 4 standard errors."""
    one, law = policy(kind), printed(kind, DATA[kind])
    counts = np.bincount([one.sample(*ASKED[kind]) for _ in range(1500)], minlength=3) / 1500
    assert (abs(counts - law) < 4 * np.sqrt(law * (1 - law) / 1500)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_loss_covers_each_neighbour(kind):
    """That of kl-mab is the largest; of the others additions are bounded by a theorem."""
    law, privacy = printed(kind, DATA[kind]), policy(kind).privacy(*ASKED[kind])
    losses = [abs(np.log(printed(kind, other) / law)).max() for other in neighbours(kind)]
    assert max(losses) <= privacy.epsilon * (1 + 1e-6)
    assert kind != "kl-mab" or privacy.epsilon == pytest.approx(max(losses), rel=1e-6)
    found = float(privacy.theorem.split("at least ")[-1]) if kind != "kl-mab" else 0.0
    assert found <= privacy.epsilon
    removals = max(losses[: len(DATA[kind][0])])
    assert kind == "kl-mab" or found >= removals * (1 - 1e-4)  # its last digits are cut
    assert (privacy.delta, privacy.notion) == (0.0, "pure, at this data set")


def refused(kind, data=None, ask=None, **options) -> str:
    with pytest.raises(dp.InputError) as error:
        policy(kind, data, **options).privacy(*(ASKED[kind] if ask is None else ask))
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(("kind", "changes"), [
    ("kl-mab", {"beta0": math.nan}), ("kl-mab", {"data": ([0, 1], [1])}),
    ("kl-linear", {"data": (2 * ROWS, REWARDS)}), ("kl-linear", {"ask": (ACTIONS * math.nan,)}),
    ("kl-rlhf", {"data": (ROWS, 2 * LABELS)}),
    ("kl-rlhf", {"data": (ROWS[:1], LABELS[:1]), "radius": math.inf}),
])  # fmt: skip
def test_what_is_refused(kind, changes):
    assert refused(kind, **changes)
