"""Every rule of the ledger, made to fail: a verdict that claims more than was shown is refused."""

import pytest
from pydantic import ValidationError

from dpbandits.core.ledger import COLUMNS, PRINTED, Claim, Verdict, certificate_path, row
from dpbandits.core.points import joined, points

SOUND = {"verdict": "holds", "method": "exact", "scope": "all of it"}
FAILS = {"repaired": "what is true", "repaired_verdict": "open"}
SAMPLED = {"method": "statistical", "confidence": "1e-6", "scope": "1000 runs"}


def plot(measured, at_most):
    return (points([1], [measured], at_most=[at_most], axes=("x", "y")),)


INSIDE, BEYOND = plot(1.0, 2.0), plot(3.0, 2.0)
REFUSED = {
    "sampling cannot say holds": (SAMPLED | {"verdict": "holds"}, "sampling alone"),
    "nor violated": (
        SAMPLED | {"verdict": "violated", "counterexample": "x"},
        "sampling alone",
    ),
    "rejected without confidence": (
        SAMPLED | {"verdict": "rejected", "confidence": ""},
        "states its confidence",
    ),
    "consistent without confidence": (
        SAMPLED | {"verdict": "consistent", "confidence": ""},
        "states its confidence",
    ),
    "violated without counterexample": (SOUND | {"verdict": "violated"}, "counterexample"),
    "violated without what is true instead": (
        SOUND | {"verdict": "violated", "counterexample": "x"},
        "says what is true instead",
    ),
    "rejected without a verdict on its repair": (
        SAMPLED | {"verdict": "rejected", "repaired": "half of it"},
        "says what is true instead",
    ),
    "a verdict on a repair that is not told": (
        SOUND | {"verdict": "violated", "counterexample": "x", "repaired_verdict": "open"},
        "says what is true instead",
    ),
    "proof without a page": (SOUND | {"method": "proof"}, "a proof is written somewhere"),
    "proof on a page elsewhere": (
        SOUND | {"method": "proof", "evidence": "figures/hu/fig1.csv"},
        "a proof is written somewhere",
    ),
    "repaired proof without a page": (
        SOUND | {"repaired_verdict": "holds", "repaired_method": "proof"},
        "a proof is written somewhere",
    ),
    "repaired without method": (SOUND | {"repaired_verdict": "holds"}, "says by which method"),
    "repaired by sampling": (
        SOUND | {"repaired_verdict": "holds", "repaired_method": "statistical"},
        "says by which method",
    ),
    "holds, yet the plot is beyond": (SOUND | {"points": BEYOND}, "beyond the statement"),
    "consistent, yet the plot is beyond": (
        SAMPLED | {"verdict": "consistent", "points": BEYOND},
        "beyond the statement",
    ),
    "violated, yet the plot is inside": (
        SOUND | FAILS | {"verdict": "violated", "counterexample": "x", "points": INSIDE},
        "no point of its plot",
    ),
    "rejected, yet the plot is inside": (
        SAMPLED | FAILS | {"verdict": "rejected", "points": INSIDE},
        "no point of its plot",
    ),
    "an unknown verdict": (SOUND | {"verdict": "true"}, "Input should be"),
    "an unknown method": (SOUND | {"method": "guess"}, "Input should be"),
    "an unknown field": (SOUND | {"sure": True}, "Extra inputs"),
}
TAKEN = {
    "sampling that rejects": SAMPLED | FAILS | {"verdict": "rejected", "points": BEYOND},
    "sampling that finds nothing": SAMPLED | {"verdict": "consistent", "points": INSIDE},
    "sampling that says nothing": SAMPLED | {"verdict": "untestable", "confidence": ""},
    "a counterexample": SOUND
    | FAILS
    | {"verdict": "violated", "counterexample": "x", "points": BEYOND},
    "a certified one without a plot": SOUND
    | FAILS
    | {"verdict": "violated", "counterexample": "x", "method": "certified"},
    "a proof with its page": SOUND | {"method": "proof", "evidence": "docs/proofs/HU.md"},
    "a repair that was proved": SOUND
    | {"repaired_verdict": "holds", "repaired_method": "proof", "evidence": ("docs/proofs/FL.md",)},
    "a repair that is open": SOUND | {"repaired_verdict": "open"},
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_verdict_that_says_too_much_is_refused(case):
    fields, complaint = REFUSED[case]
    with pytest.raises(ValidationError, match=complaint):
        Verdict(**fields)


@pytest.mark.parametrize("case", TAKEN)
def test_a_sound_verdict_is_taken(case):
    assert Verdict(**TAKEN[case]).verdict == TAKEN[case]["verdict"]


def claim_with(*readings):
    def check(tables):
        return [Verdict(**SOUND, reading=reading) for reading in readings]

    return Claim("HU-X", "Lemma 0", "said", "kind", "all", (), check, "tests")


@pytest.mark.parametrize("readings", [(), ("repaired",), ("a", PRINTED), (PRINTED, "a", "a")])
def test_the_printed_reading_comes_first_and_none_twice(readings):
    with pytest.raises(ValueError, match="readings"):
        claim_with(*readings).verdicts(None)


def test_a_row_has_every_column_and_its_own_statement():
    claim = claim_with(PRINTED, "narrow")
    first, second = claim.verdicts(None)
    line = row(claim, first)
    assert tuple(line) == COLUMNS
    assert (line["id"], line["paper"], line["statement"]) == ("HU-X", "HU", "Lemma 0: said")
    assert line["certificate"] == ""
    proved = second.model_copy(update={"certificate": {"a": 1}, "statement": "less"})
    line = row(claim, proved)
    assert line["statement"] == "Lemma 0: less"
    assert line["certificate"] == certificate_path("HU-X", "narrow")
    assert line["certificate"].endswith("HU-X.narrow.json")
    assert row(claim, first.model_copy(update={"certificate": {"a": 1}}))["certificate"].endswith(
        "certificates/HU-X.json"
    )


def test_a_point_is_beyond_only_if_all_of_its_range_is():
    axes = ("x", "y")
    measured = [1.0, 3.0, 3.0, 0.5, 0.5, 2.0]
    low, high = [0.5, 2.5, 1.5, 0.4, 0.4, 2.0], [1.5, 3.5, 3.5, 0.6, 1.2, 2.0]
    frame = points(range(6), measured, low=low, high=high, at_least=1.0, at_most=2.0, axes=axes)
    assert frame["beyond"].tolist() == [False, True, False, True, False, False]
    near = points([0], [2.0 + 1e-12], at_most=[2.0], axes=axes)
    assert not near["beyond"].any()
    assert points([0], [2.0 + 1e-7], at_most=[2.0], axes=axes)["beyond"].all()
    assert not points([0], [99.0], axes=axes)["beyond"].any()


def test_a_plot_needs_points_that_are_numbers():
    with pytest.raises(ValueError, match="needs points"):
        joined([])
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            joined(points([1], [wrong], axes=("x", "y")) for _ in range(1))
    assert len(joined([*INSIDE, *BEYOND])) == 2
