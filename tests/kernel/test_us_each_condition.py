"""US's closed-form refutations: where one of their conditions alone fails, nothing is certified."""

from fractions import Fraction
from math import log

import pytest

from dpbandits.core.points import points
from dpbandits.kernel.claims.evidence import violated
from dpbandits.kernel.engine import counterexamples

# Of hub_norm: norm > bound, chance > delta, condition <= 1/4. In each case the other two hold.
HUBS = [
    ({"arms": 100}, "norm"),  # fewer spokes, a smaller norm: 0.268 against 0.311
    ({"delta": Fraction(999, 1000)}, "chance"),  # 0.996 with 8/(n - 1) = 0.004 gone
    ({"per_arm": 5}, "condition"),  # 0.35: the lemma asks for at most 1/4
]


@pytest.mark.parametrize(("options", "fails"), HUBS)
def test_a_hub_with_one_condition_missing(options, fails):
    case = counterexamples.hub_norm(**options)
    met = {
        "norm": case["norm"] > case["bound"],
        "chance": case["chance"] > case["delta"],
        "condition": case["condition"] <= 0.25,
    }
    assert met == {name: name != fails for name in met}
    assert not case["certified"]


@pytest.mark.parametrize(
    ("options", "fails"),
    [({"arms": 1000}, "chance"), ({"tau": 2}, "condition")],  # 0.012 < 0.1; 0.447 > 1/4
)
def test_atoms_with_one_condition_missing(options, fails):
    case = counterexamples.atom_spectrum(**options)
    met = {
        "beyond": case["eigenvalue"] - 1 > case["bound"],
        "chance": case["chance"] > case["delta"],
        "condition": case["condition"] <= 0.25,
    }
    assert met == {name: name != fails for name in met}
    assert not case["certified"]


@pytest.mark.parametrize(
    ("name", "enough", "too_little"),
    [
        # |Z~^-1 Phi Phi' f|^2 = ((4 q^2 - 1/2)/(4 q^2))^2 + q^2/25 against 25/9 = 2.78:
        # 2.43 at q = 6, 2.95 at q = 7
        ("norm_step", 7, 6),
        # n/2 against 54/13 ln(1 + n)/2: 6 and 5.33 at n = 12, 5 and 4.98 at 10, 4 and 4.56 at 8
        ("quoted_variance", 10, 8),
        # n against 81/13 ln(1 + n)/2: 7 and 6.48 at n = 7, 6 and 6.06 at n = 6
        ("undrawn_cell", 7, 6),
        # 13 tau/108 (100 (pi - 2 atan(1/100)) - 2)/(200 pi) = 0.0594 tau
        ("posterior_variance", 17, 16),
        # P(|N(0, 1)| > 1/100 - ln delta): 0.766 at delta = 3/4, 0.482 at 1/2
        ("clipping", Fraction(3, 4), Fraction(1, 2)),
    ],
)
def test_just_enough_and_just_too_little(name, enough, too_little):
    of = getattr(counterexamples, name)
    assert of(enough)["certified"]
    assert not of(too_little)["certified"]


def test_the_numbers_of_the_smallest_cases_by_hand():
    case = counterexamples.norm_step(7)
    assert case["relative"] == Fraction(49, 25) / 196  # (q/5)^2/(4 q^2) = 1/100
    assert case["squared_norm"] == Fraction(391, 392) ** 2 + Fraction(49, 25)
    assert case["bound"] == Fraction(5, 3) ** 2
    # gamma_1 = ln(1 + n)/2
    assert counterexamples.quoted_variance(12)["right"] == pytest.approx(54 * log(13) / 26)
    assert counterexamples.undrawn_cell(7)["right"] == pytest.approx(81 * log(8) / 26)
    assert counterexamples.undrawn_cell(7)["left"] == 7


def test_what_is_not_certified_says_nothing():
    beyond = (points([1], [3.0], at_most=[2.0], axes=("x", "y")),)
    fields = {"scope": "x", "counterexample": "c", "repaired": "r", "points": beyond}
    fields["evidence"] = "docs/proofs/US.md"
    found = violated({"certified": True}, **fields)
    assert (found.verdict, found.method, found.repaired_verdict) == (
        "violated",
        "certified",
        "holds",
    )
    assert found.repaired_method == "proof"
    found = violated({"certified": False}, **fields)
    assert (found.verdict, found.repaired_verdict, found.points) == ("untestable", "", ())
