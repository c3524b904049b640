"""Rows on ourselves: what counts as better, level and worse, and that verdicts follow the data."""

import math

import pandas as pd
import pytest

from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ours.claims.regret import averaged
from dpbandits.reproduction.statistics import ratio

SIZES = [("five", 0.1, 1000), ("five", 1.0, 1000), ("five", 5.0, 1000), ("twenty", 1.0, 1000)]


def table(rival: list[float], idle: list[float], sem: float = 0.5) -> pd.DataFrame:
    """Means of a rival and of random play at the sizes; na-imed has 100 at each."""
    lines = []
    for size, theirs, random in zip(SIZES, rival, idle, strict=True):
        means = {"na-imed": 100.0, "dp-klucb": theirs, "random-arm": random}
        lines += [(*size, name, mean, sem) for name, mean in means.items()]
    made = pd.DataFrame(lines, columns=["family", "epsilon", "t", "algorithm", "mean", "sem"])
    found = ratio(made, {"mean": 100.0, "sem": sem})  # as of other instances
    return made.assign(ratio=found.value, ratio_low=found.low, ratio_high=found.high)


def reading(made: pd.DataFrame):
    """The row beside dp-klucb; the made-up table has no other rival."""
    rivals = ("lazy-dp-ts", "dp-imed")
    own = made[made["algorithm"] == "dp-klucb"]
    made = pd.concat([made, *(own.assign(algorithm=name) for name in rivals)])
    return next(v for v in get_claim("OURS-R1").verdicts(lambda _: made) if v.reading == "dp-klucb")


def test_level_is_an_interval_within_five_percent_and_random_play_is_left_out():
    found = reading(table(rival=[150, 101, 102, 150], idle=[400, 400, 400, 103]))
    assert found.verdict == "consistent"
    assert "Of 3 comparisons" in found.short  # where random play is level nothing is claimed
    assert "over 5% better in 1, level in 2, over 5% worse in 0; 0 are open" in found.short


def test_a_difference_that_is_not_seen_is_not_called_level():
    found = reading(table(rival=[101] * 4, idle=[900] * 4, sem=10))
    assert "level in 0" in found.short
    assert "4 are open" in found.short


def test_a_rival_that_is_better_somewhere_rejects_the_claim():
    found = reading(table(rival=[150, 80, 150, 150], idle=[400] * 4))
    assert (found.verdict, found.severity) == ("rejected", "experiment")
    assert "dp-klucb (five, ε = 1, T = 1000)" in found.repaired


def test_a_rival_that_is_better_by_its_own_interval_alone_leaves_the_claim_open():
    found = reading(table(rival=[150, 80, 150, 150], idle=[400] * 4, sem=4))
    assert found.verdict == "untestable"
    assert "over 5% worse in 1" in found.short


@pytest.mark.parametrize("id", ["OURS-P1", "OURS-P2", "OURS-P4", "OURS-L2", "OURS-L5", "OURS-T2"])
def test_what_is_promised_is_proved(id):
    (row,) = get_claim(id).verdicts(None)
    assert (row.verdict, row.method) == ("holds", "proof")


def shares(means: dict[str, float], t=(5000, 50_000), sem: float = 0.002) -> pd.DataFrame:
    """A table of shares, the same at each number of people, of normal contexts."""
    lines = [("normal", 20, 1.0, "share", n, name, mean, sem) for name, mean in means.items()
             for n in t]  # fmt: skip
    columns = ["setting", "d", "epsilon", "metric", "t", "algorithm", "mean", "sem"]
    return pd.DataFrame(lines, columns=columns)


@pytest.mark.parametrize(
    ("leaky", "verdict", "says"),
    [(0.4, "consistent", "over 5% less in 4"), (0.5, "consistent", "level in 4"),
     (0.6, "rejected", "over 5% more in 4")],
)  # fmt: skip
def test_leaky_linear_is_judged_at_each_size_beside_dp_linear(leaky, verdict, says):
    made = shares({"leaky-linear": leaky, "dense-dp-linear": 0.5})
    both = pd.concat([made, made.assign(epsilon=3.0)])
    (row,) = get_claim("OURS-C2").verdicts(lambda _: both)
    assert row.verdict == verdict
    assert says in row.short
    for other in ({"t": 1000}, {"t": 200_000}, {"d": 4}, {"setting": "clusters"}):
        beyond = made.assign(**other)
        (row,) = get_claim("OURS-C2").verdicts(lambda _, beyond=beyond: beyond)
        assert row.verdict == "untestable"  # nothing is claimed of it


def test_people_needed_are_compared_with_the_error_of_the_crossing():
    """Shares fall by .1 per factor 2 around 1/2, so an error of .01 is ln 2/10 in ln people."""
    t = [100, 200, 400, 800]
    falls = {"leaky-linear": [0.55, 0.45, 0.35, 0.25], "dense-dp-linear": [0.65, 0.55, 0.45, 0.35]}
    lines = [("five", 20, 1.0, "share", n, name, mean, 0.01) for name, means in falls.items()
             for n, mean in zip(t, means, strict=True)]  # fmt: skip
    made = pd.DataFrame(lines, columns=shares({}).columns)
    (row,) = get_claim("OURS-C1").verdicts(lambda _: made)
    half = math.log(2) * 1.96 * math.sqrt(2) / 10
    low, high = 0.5 * math.exp(-half), 0.5 * math.exp(half)
    assert f"ε = 1: 0.5 [{low:.3g}, {high:.3g}]" in row.measured
    assert row.verdict == "consistent"


@pytest.mark.parametrize(("longest", "verdict"), [(200, "holds"), (1200, "violated")])
def test_costs_are_judged_by_the_stored_times(longest, verdict, file, monkeypatch):
    path = file(f"learner,arms,d,rounds,mean_us,longest_ms\na,5,5,10,100,{longest}\n", "costs.csv")
    monkeypatch.setattr("dpbandits.reproduction.ours.claims.costs.COSTS", path)
    (row,) = get_claim("OURS-K1").verdicts(None)
    assert row.verdict == verdict


ZOO = "set,program,label,answer,seconds\na,f,right,{},1\na,g,broken,{},1\n"


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        (("no leak seen", "refuted"), "holds"),
        (("suspected", "not judged"), "holds"),  # no answer is no wrong one
        (("refuted", "refuted"), "violated"),
        (("no leak seen", "no leak seen"), "violated"),
    ],
)
def test_the_auditor_is_judged_by_its_stored_answers(answers, verdict, file, monkeypatch):
    path = file(ZOO.format(*answers), "zoo.csv")
    monkeypatch.setattr("dpbandits.reproduction.ours.claims.audits.ZOO", path)
    (row,) = get_claim("OURS-A1").verdicts(None)
    assert row.verdict == verdict
    assert "Of 2 programs" in row.short


def test_geometric_means_over_families():
    rows = [(f, "dp-imed", 1.0, 10, ratio, ratio * 1.1) for f, ratio in (("a", 2.0), ("b", 0.5))]
    names = ["family", "algorithm", "epsilon", "t", "ratio", "ratio_high"]
    found = averaged(pd.DataFrame(rows, columns=names)).loc["dp-imed", 1.0, 10]
    assert found.tolist() == pytest.approx([1.0, *(1.1 ** (s / math.sqrt(2)) for s in (-1, 1))])
