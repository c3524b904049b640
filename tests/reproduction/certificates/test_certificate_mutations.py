"""Changed certificates are refused: each field alone, broken hypotheses, data that are no
neighbours."""

import copy
import json
from fnmatch import filter as matching
from fnmatch import fnmatch
from fractions import Fraction

import pytest
from scratch import ROOT

FOLDER = ROOT / "certificates"

WORDS = ("statement", "fails", "step", "python")  # for readers; check.py does not use them

# Changes that leave a certificate true, each with the reason. All others must be refused.
SAME_WIDTHS = "both actions have one width: the penalty beta0 cancels"
ONLY_DIFFERENCE = "l - lambda does not contain lambda"
CLIPPED = "a reward beyond R is clipped to R"
FAR = "a coordinate far below the others, be it at 0 or a little above"
SCALE = "the step size scales the step and the noise alike"
LARGER = "rewards in [0, 1] lie in a larger interval, too"
NO_POLICY = "the step is about counts and widths"
MORE_BUMPS = "more of them only make the quotient larger"
HARMLESS = {
    "FL-LA.2": {"data.2.0": FAR, "neighbour.2.0": FAR},
    "FL-C4b": {"given.epsilon": "a smaller epsilon only lowers the root rho_0"},
    "FL-LD.1": {"given.inside": "a set: twice is once"},
    "FL-LD.2": {"given.theta*": "any theta with two entries; one of the largest is kept"},
    "FL-T4.1c": {"given.h22": "the second row of the Hessian moves the second coordinate only"},
    "FL-E2-M": {"enclosures.left.1": "one more than 2^40 is within the width allowed"},
    "FL-T4.1": {"given.start": "one more shows in no digit beside 2^140"},
    "FL-P5.5": {"given.beta*": "any beta* inside of the ball will do"},
    "FL-RDP": {"given.eta": SCALE, "*.1.1": CLIPPED},
    "FL-S4": {"given.eta": SCALE, "*.1.1": CLIPPED, "*.1.0.2.0": FAR},
    "FL-T5.1": {"given.eta": SCALE, "*.1.1": CLIPPED, "*.1.0.2.0": FAR},
    "KL-C3": {"given.beta0": SAME_WIDTHS, "given.penalty": ONLY_DIFFERENCE},
    "KL-T3-pure": {"given.beta0": SAME_WIDTHS, "given.penalty": ONLY_DIFFERENCE},
    "KL-T3-pure.unit-differences": {"given.beta0": SAME_WIDTHS, "given.penalty": ONLY_DIFFERENCE},
    "KL-P1b": {"given.epsilon": "delta is 0: no epsilon allows what has probability 0"}
    | {"neighbour": "one record more is a neighbour as well"},
    "KL-B12": {"given.R": LARGER},
    "KL-B12-reference": {"given.R": LARGER},
    "KL-B-mean": dict.fromkeys(("given.beta0", "given.eta"), NO_POLICY),
    "KL-C21": dict.fromkeys(("given.R", "given.beta0", "given.eta", "data.0.1"), NO_POLICY),
    "KL-C22": dict.fromkeys(("given.R", "given.beta0", "given.eta", "data.0.1"), NO_POLICY),
    "KL-D33": dict.fromkeys(("given.B", "given.beta0", "given.eta"), NO_POLICY),
    "KL-S4.1": {"given.R": LARGER, "given.beta0": "one record each: the penalty cancels"},
    "KL-S4.4-composition.k-constant": dict.fromkeys(
        ("given.R", "given.beta0", "given.eta"), "one reward and one count: the scores are equal"
    ),
    "KL-R1": {"given.R": LARGER},
    "KL-S4.2": {
        "data.?.2": "one record shows in no digit",
        "data.?.1": "no reward is used",
        "given.penalty": "nor does 1 beside 10^23",
        "given.beta0": "nor does beta0/(l - 1)",
    },
    "KL-S4.4-inexact": dict.fromkeys(
        ("given.factor", "given.error"), "P(a; D') is 0: no factor helps; less privacy is promised"
    ),
    "US-L4.3.order": {"given.bits": MORE_BUMPS},
    "US-S6.3-norm.real-draws": {"given.delta": "the premises hold at other chances too"},
    "US-T4.1.order": {"given.bits": MORE_BUMPS},
    "US-S4-identical": {"given.at": "3/2 is as likely as 1/2"},
    "US-L4.4.spectrum": {"given.n": "more points only make it likelier that one is so rare"},
    "US-N1": {"given.constant": "a larger C_p is allowed too, and makes N1bar smaller"},
}


def leaves(value, place=()):
    """(place, value) of every number, text and list of a certificate."""
    if isinstance(value, dict):
        for key, x in value.items():
            yield from leaves(x, (*place, key))
    elif isinstance(value, list):
        yield place, value
        for i, x in enumerate(value):
            yield from leaves(x, (*place, i))
    else:
        yield place, value


def changes(value):
    """Other values of the same kind."""
    if isinstance(value, list):
        yield from ([*value, value[-1]], value[:-1])
        return
    if isinstance(value, int):
        yield from (value + 1, value - 1)
        return
    try:
        number = Fraction(value)
    except ValueError:
        yield f"{value}x"
        return
    if "." in value or "E" in value:  # an end of an enclosure
        yield from (str(float(number) * 1.001 + 1e-30), str(float(number) * 0.999 - 1e-30))
    else:
        yield from map(str, (number + 1, number * Fraction(1001, 1000) + Fraction(1, 997)))


def changed(certificate: dict, place: tuple, value) -> dict:
    other = copy.deepcopy(certificate)
    inner = other
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return other


def test_changed_fields_are_refused(check, judge, file):
    """The changes that are still proved are exactly those in HARMLESS."""
    certificate = json.loads(file.read_text(encoding="utf-8"))
    judge(certificate, file.name)
    still_proved = set()
    for place, value in leaves(certificate):
        if place[0] in WORDS:
            continue
        for other in changes(value):
            if other == value:
                continue
            try:
                judge(changed(certificate, place, other), file.name)
            except Exception:  # as in check.main: after any exception nothing is proved
                continue
            still_proved.add(".".join(map(str, place)))
    listed = HARMLESS.get(file.stem, {})
    unlisted = [x for x in still_proved if not any(fnmatch(x, pattern) for pattern in listed)]
    assert not unlisted, sorted(still_proved)
    assert all(matching(still_proved, pattern) for pattern in listed), sorted(still_proved)


def test_missing_and_additional_parts_and_floats_are_refused(check, judge, file):
    certificate = read(file.stem)
    for key in certificate.keys() - {"python"}:  # which check.py does not use
        with pytest.raises(Exception):  # noqa: B017, PT011
            judge({k: v for k, v in certificate.items() if k != key}, file.name)
    with pytest.raises((TypeError, check.Refused)):
        judge(certificate | {"more": "1"}, file.name)
    for key in ("given", "enclosures"):
        for name in certificate[key]:
            rest = {k: v for k, v in certificate[key].items() if k != name}
            with pytest.raises(Exception):  # noqa: B017, PT011
                judge(certificate | {key: rest}, file.name)
    for name, value in certificate["given"].items():
        if isinstance(value, str):
            with pytest.raises(check.Refused, match="not an exact number"):
                judge(changed(certificate, ("given", name), float(Fraction(value))), file.name)


def read(name: str) -> dict:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


WITH_DATA = [x.stem for x in sorted(FOLDER.glob("*.json")) if "neighbour" in read(x.stem)]


@pytest.mark.parametrize("name", WITH_DATA)
def test_exchanged_or_equal_data_sets_are_refused(judge, name):
    """Equal data sets are no neighbours; exchanged ones give other bounds or other sides."""
    certificate = read(name)
    data, neighbour = certificate["data"], certificate["neighbour"]
    exchanged = [(neighbour, data)] * (name != "KL-P1b")  # either number tells the other's record
    for pair in ((data, data), (neighbour, neighbour), *exchanged):
        with pytest.raises(Exception):  # noqa: B017, PT011
            judge(certificate | {"data": pair[0], "neighbour": pair[1]}, f"{name}.json")


HALF = ["1/2", "1/2"]
BROKEN = [  # certificate, place, value, why it is refused
    ("KL-T1-approx", ("both", 0, 1), "2", "reward outside"),
    ("KL-T1-approx", ("data", 0, 2), 3, "no neighbours"),
    ("KL-T1-approx", ("given", "pi0"), ["1/2", "1/3"], "no distribution"),
    ("KL-T1-approx", ("given", "pi0"), ["1", "0"], "no distribution"),
    ("KL-T1-approx", ("given", "N0"), "0", "not positive"),
    ("KL-T1-approx", ("given", "eta"), "-1/100", "negative"),
    ("KL-T1-approx", ("event",), [0, 0], "stands twice"),
    ("KL-C2", ("given", "k1"), "98", "hypothesis"),  # lambda_min = 101 < 1 + n/k1
    ("KL-C2", ("given", "c"), "1", "hypothesis"),
    ("KL-T2-approx", ("both", 0, 0), ["2"], "longer than 1"),
    ("KL-T2-approx", ("given", "actions", 1, 1), "3/2", "longer than 1"),
    ("KL-T2-approx", ("neighbour", 0, 1), "1/2", "no neighbours"),
    ("KL-T3-approx", ("given", "lambda0"), "1", "hypothesis"),  # must exceed lambda
    ("KL-T3-approx", ("given", "B"), "1/20", "leaves the ball"),  # the neighbour's MLE is 0.1003
    ("KL-T3-pure", ("neighbour", 1, 3), 8, "no neighbours"),
    ("KL-T3-pure", ("neighbour", 0, 3), 12, "no neighbours"),
    ("KL-T4-pure", ("both", 0, 2), 2, "label"),
    ("KL-C3", ("given", "k1"), "1/5", "hypothesis"),
    ("KL-S4.4-inexact", ("given", "error"), "3/2", "hypothesis"),
    ("KL-S4.4-inexact", ("given", "delta"), "1/20", "hypothesis"),
    ("KL-S4.4-inexact", ("data", 1), HALF, "hypothesis"),
    ("KL-L1-partition", ("given", "safe"), ["0", "1"], "hypothesis"),
    ("HU-T8", ("data", 7, 1), [1, 2], "rewards|neighbours"),
    ("HU-T8", ("neighbour", 6, 2), 65, "no neighbours"),
    ("FL-LA.2", ("neighbour", 0, 0), "999", "no neighbours"),
    ("FL-S4", ("data", 0, 0, 0, 0), "4", "neighbours|beyond"),
    ("FL-S4", ("given", "x_max"), "1", "beyond x_max"),
    ("FL-S4", ("given", "b_max"), "1/100", "not positive"),  # the projection binds
    ("FL-S4", ("given", "s"), "9", "pairs"),
    ("FL-LD.1", ("given", "v_hat"), ["1", "1", "0"], "hypothesis"),  # |v^|_0 > s^
    ("FL-LD.1", ("given", "s_hat"), "4", "hypothesis"),  # s^ > s
    ("FL-LD.1", ("given", "inside"), ["0"], "hypothesis"),  # supp(v) is not in I
    ("FL-LD.2", ("given", "theta"), ["1", "0", "0"], "hypothesis"),  # s* = s
    ("FL-P5.5", ("given", "b_max"), "3", "hypothesis"),  # beta* outside of the ball
    ("FL-T4.1c", ("given", "h12"), "1", "hypothesis"),  # the Hessian is not positive
    ("FL-E2", ("given", "d"), "511", "hypothesis"),  # no such orthogonal columns
    ("FL-E4", ("given", "N"), "4097/2", "not a count"),
    ("FL-Crho", ("given", "epsilon"), "5", "hypothesis"),  # epsilon^2 < ln(1/delta)
    ("FL-C4b", ("given", "rho"), "1", "hypothesis"),  # below the root
    ("US-N1", ("given", "constant"), "1/2", "hypothesis"),
    ("US-N1", ("given", "delta"), "1/100000000000000000000000000000000", "hypothesis"),
    ("US-S6.3-norm", ("given", "e"), "3", "hypothesis"),  # beyond 10/9 Z
    ("US-S7.1", ("given", "n"), "1000", "hypothesis"),
    ("US-S8.2-uniform", ("given", "contexts"), "1", "not enclosed"),  # delta is kept
    ("US-S8.2-uniform", ("given", "contexts"), "100000", "too large"),
    ("US-L6.2", ("given", "norm"), "100", "hypothesis"),  # |y| < B
    ("US-L6.2", ("given", "delta"), "1/9", "hypothesis"),
    ("US-L6.2", ("given", "x"), ["1/3", "0"], "hypothesis"),
    ("US-L6.2", ("given", "tau"), "1", "hypothesis"),  # K would not be 1
    ("US-T4.1", ("given", "L_f"), "3/4", "hypothesis"),
    ("US-T4.1.order", ("given", "bits"), "22", "hypothesis"),  # the constants need g >= 1
    ("US-L4.3", ("given", "M"), "1000", "hypothesis"),  # Chebyshev: 1/9 with chance delta/4
    ("US-L4.3", ("given", "F"), "1/2", "hypothesis"),
    ("US-L4.3", ("given", "delta"), "999/1000", "hypothesis"),  # likelier than the event
    ("US-L6.2.with-omitted-hypothesis", ("given", "M"), "20001/2", "not a count"),
    ("KL-B12-reference", ("given", "pi0"), HALF, "hypothesis"),  # then arm 0 leads in both
    ("KL-R1-scales", ("given", "most"), "400000", "hypothesis"),  # below n/2
    ("US-L4.4", ("given", "K"), "97", "hypothesis"),  # not ceil(T/gamma_T)
    ("US-L4.4", ("given", "delta"), "999/1000", "hypothesis"),  # likelier than the event
    ("US-L4.4", ("given", "T"), "40001", "no such kernel"),  # not as many contexts at each corner
    ("US-L4.4", ("given", "tau"), "1/100", "hypothesis"),  # below 16 gamma_T ln(1/delta)/tau
    ("US-L4.4", ("data", 0, 0), "1", "no such kernel"),  # above 1
    ("US-L4.4", ("data", 0, 2), 2500, "hypothesis"),  # another gamma_T, so another K
    ("US-L4.4", ("data", 0, 2), 1, "no such integer"),
    ("US-L4.4.spectrum", ("given", "K"), "13", "hypothesis"),
    ("US-L4.4.fixed-kernel", ("given", "J"), "4", "hypothesis"),  # Chebyshev says nothing
    ("US-L4.4.fixed-kernel", ("given", "p"), "19/20", "hypothesis"),
    ("US-L4.4.fixed-kernel", ("given", "T"), "1048576", "hypothesis"),  # below some N1bar
    ("US-S6.3-norm.real-draws", ("given", "T"), "1048576", "hypothesis"),  # premises: b_1 > 1/9
    ("US-S6.3-norm.real-draws", ("given", "delta"), "1/2", "hypothesis"),
    ("US-L4.4.spectrum", ("given", "n"), "100", "hypothesis"),  # too few points to find one
    ("KL-R1", ("given", "eta"), "1/100", "hypothesis"),  # beta0/eta is only of order sqrt(n)
    ("KL-S4.2", ("data", 1, 2), 10**24, "hypothesis"),  # l is sqrt(n)/10^6
    ("KL-D30", ("given", "B"), "6/5", "hypothesis"),  # the MLE leaves the ball
    ("HU-S5-minimax", ("given", "epsilon"), "11000", "hypothesis"),
    ("HU-T9", ("given", "epsilon"), "1/10", "hypothesis"),  # not below the gap
    ("FL-T3.2", ("given", "s"), "400", "hypothesis"),
    ("FL-T5.6", ("given", "m"), "65", "hypothesis"),
    ("FL-T4.1", ("given", "M"), "128", "hypothesis"),  # M >= 28 ln n
    ("FL-E3-log", ("given", "delta"), "1/2", "hypothesis"),
    ("HU-F17", ("given", "n"), "21/2", "not a count"),
    ("HU-S2.2", ("given", "p"), "1", "hypothesis"),
    ("KL-B-mean", ("given", "pi0"), HALF, "hypothesis"),  # an arm without records
    ("KL-S4.4-inexact", ("data",), [["1/10", "9/10"]] * 3, "too large"),
    ("FL-T3.2", ("given", "d"), "801/2", "not a count"),
    ("FL-RDP", ("neighbour", 1, 0), [["173/50", 10], ["0", 390]], "only a reward"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "place", "value", "why"), BROKEN)
def test_broken_hypotheses_and_neighbours_are_refused(check, judge, name, place, value, why):
    """`both`: the same change in both data sets, which are then still neighbours."""
    certificate = read(name)
    for part in ("data", "neighbour") if place[0] == "both" else place[:1]:
        certificate = changed(certificate, (part, *place[1:]), value)
    with pytest.raises(check.Refused, match=why):
        judge(certificate, f"{name}.json")
