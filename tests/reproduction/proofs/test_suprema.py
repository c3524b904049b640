"""`supremum` means supremum, for each refuted row of HU, FL and US: proved, or written "at least".

Growth is evaluated on the row's own inequality with other parameters; `most` holds on a grid.
"""

import math

import numpy as np
import pytest

from dpbandits.core.maximise import maximise, share
from dpbandits.reproduction.fl.claims.lower_bound import root
from dpbandits.reproduction.fl.group_privacy_attacks import OBSERVED, observed_ratio
from dpbandits.reproduction.fl.studies.lemma_a2 import lemma
from dpbandits.reproduction.ledger.claims import claims, get_claim
from dpbandits.reproduction.ledger.verdicts import PRINTED
from dpbandits.reproduction.us.claims.spectral import FIXED
from dpbandits.stochastic.mechanisms.rnm_loss import pure_loss

TOP = 10**9


def times(id, reading=PRINTED, **changed):
    """Left over right side; infinite where nothing is allowed."""
    left, right = get_claim(id).sides(reading, **changed)
    return left / right if right > 0 else math.inf


def grows(id, *changes, reading=PRINTED):
    values = [times(id, reading, **change) for change in changes]
    return values == sorted(values) and values[-1] > 2 * values[0]


def infinite(id, reading=PRINTED):
    left, right = get_claim(id).sides(reading)
    return left > right and right <= 0


def noisy_max(rounds, arms=2):
    return float(pure_loss(2.0, arms, rounds, "replace").lower()) / 0.5


def crossing(log):  # FL-E3-log at N = 2
    return (log + math.log(math.log(2))) / (log * math.log(2))


def printed_root(epsilon):
    return 20 ** (4 / 3) * epsilon**2 / math.log(100)


def few(power):  # F = 10^(4 power), B = F^2; tau falls
    return {"F": 10 ** (4 * power), "B": 10 ** (8 * power), "tau": f"10**-{6 * power}"}


def reached_by_observed():
    """Of (1 + e^eps) delta, by the search that the row cites."""
    generator = np.random.default_rng(1)
    return maximise(lambda rows: observed_ratio(share(rows)), OBSERVED, 100_000, generator).value


def gradient_moves():
    """A replaced record moves 2(x'theta - y)x by 4 x_max (R + x_max b_max) at most, an entry."""
    generator, reached = np.random.default_rng(3), []
    for x_max in (0.5, 3.46, 20.0):
        R, b = generator.uniform(0.1, 5, 2)
        x, y = generator.choice([-x_max, x_max], (999, 2, 3)), generator.choice([-R, R], (999, 2))
        theta = b * np.eye(3)[generator.integers(3, size=999)]
        entries = 2 * (np.einsum("nrj,nj->nr", x, theta) - y)[..., None] * x
        moved = np.abs(entries[:, 0] - entries[:, 1]).max()
        reached.append(moved / (R + x_max * b) / (4 * x_max))
    return np.allclose(reached, 1)


def deviates():
    """An eigenvalue minus 1 over its bound, a point without visits: tau grows, and n with it."""
    pairs = [
        get_claim("US-L4.4").sides("spectrum", tau=tau, count=0, K=3 * tau) for tau in (4, 40, 400)
    ]
    ratios = [(left - 1) / (right - 1) for left, right in pairs]
    return ratios == sorted(ratios) and ratios[-1] > 100


def bridges(id, reading):
    ratios = [times(id, reading, T=t, J=j) for t, j in FIXED.items() if t > 2**20]
    return ratios == sorted(ratios) and ratios[-1] > 10 * ratios[0]


SUPREMA = {  # row: (what its supremum says, whether it is so)
    "HU-F17": ("unbounded", lambda: grows("HU-F17", {"n": 10}, {"n": 100})),
    "HU-S2.2": ("infinite", lambda: infinite("HU-S2.2")),
    "HU-T9": ("unbounded", lambda: grows("HU-T9", {}, {"epsilon": "10**-12"})),
    "HU-ABS": ("2, in the limit", lambda: 1.9 < noisy_max(64) < noisy_max(1024) < 2),
    "HU-T8": ("2, in the limit", lambda: 1.99 < noisy_max(1024, 10) < 2),
    "HU-L23.step (46)": ("at most $\\log t + 1$",
                         lambda: 1.11 < times("HU-L23", "step (46)") < math.log2(5) + 1),
    "HU-T3.step (24)": ("3 at $d = 0$", lambda: times("HU-T3", "step (24)", D=1) == 3
                        and times("HU-T3", "step (24)", D=2) < 3),
    "HU-S5-minimax": ("at least $10\\sqrt{\\ln K}/C$", lambda: math.isclose(
        times("HU-S5-minimax", epsilon=11774) * 10**6,
        10 * math.sqrt(2 * 10**10 * math.log(2)), rel_tol=1e-4)),
    "HU-S7-witness.first form": ("unbounded: $L/(1 + \\frac{L-1}{\\ln(L+1)})$", lambda: 0.8 < times(
        "HU-S7-witness", "first form", levels=2**20, copies=2**900)
        / (2**20 / (1 + (2**20 - 1) / math.log(2**20 + 1))) < 1),
    "FL-ABS": ("unbounded", lambda: grows("FL-ABS", {}, {"m": 1024})),
    "FL-T4.1": ("unbounded", lambda: grows("FL-T4.1", {}, {"start": "2**150"})),
    "FL-T4.1c": ("unbounded", lambda: grows("FL-T4.1c", {}, {"m2": 100}, {"m2": 10**6})),
    "FL-P5.5": ("infinite", lambda: infinite("FL-P5.5")),
    "FL-T3.2": ("unbounded", lambda: grows("FL-T3.2", {}, {"epsilon": "10**-15"})
                and grows("FL-T3.2", {}, {"delta": "10**-200"})
                and grows("FL-T3.2", {}, {"d": "10**30"})),
    "FL-T3.2.proof": ("unbounded: $\\sqrt{\\ln d}$", lambda: math.isclose(
        times("FL-T3.2", "proof", bits=10**10) / times("FL-T3.2", "proof"), 10, rel_tol=0.01)),
    "FL-C4b": ("infinite", lambda: grows("FL-C4b", {"q": "10**-12"}, {"q": "10**-40"})),
    "FL-Crho": ("unbounded", lambda: root(1e-9, 0.01) ** 4 > TOP * printed_root(1e-9)),
    "FL-A5.2c": ("infinite", lambda: grows("FL-A5.2c", {}, {"h": "10**-20"})),
    "FL-LD.1": ("infinite", lambda: infinite("FL-LD.1")),
    "FL-LD.2": ("infinite", lambda: grows("FL-LD.2", {}, {"release": "10**-9",
                                                              "worst": "10**-18"})),
    "FL-LA.2": ("at least", lambda: float(lemma(10, 400, 100.0, 0.01)[1].lower()) > 0.0919),
    "FL-S4": ("$4x_{\\max}$", gradient_moves),
    "FL-T5.1": ("$4x_{\\max}$", gradient_moves),
    "FL-RDP": ("$4x_{\\max}$", gradient_moves),
    "FL-T5.6": ("unbounded", lambda: grows("FL-T5.6", {}, {"m": 128})),
    "FL-PSI-forms": ("unbounded", lambda: grows("FL-PSI-forms", {}, {"m": 512})),
    "FL-R3": ("10.8 (at $T = e^6$)", lambda: max(times("FL-R3", T=t) for t in range(4, 5000))
              < 10.755 and times("FL-R3", T=403) > 10.75),
    "FL-C3": ("at least 0.75 of it", lambda: times("FL-C3", E=TOP) * TOP / TOP**2 * 2 > 0.999
              and 0.74 < reached_by_observed() <= 1),
    "FL-E3": ("unbounded", lambda: grows("FL-E3", {}, {"L": TOP})),
    "FL-E3-log": ("$1/\\ln2 = 1.443$", lambda: times("FL-E3-log") < crossing(1e9)
                  < 1 / math.log(2) < 1.4427),
    "FL-E2-M": ("unbounded", lambda: grows("FL-E2-M", {}, {"N": "2**60"})),
    "FL-E2": ("$d/\\sqrt{\\ln d}$", lambda: all(
        0.15 < times("FL-E2", d=2**k) / (2**k / math.sqrt(k * math.log(2))) < 1
        for k in (9, 20, 40))),
    "FL-E4": ("$N/\\sqrt{\\ln N}$", lambda: all(
        0.1 < times("FL-E4", N=2**k) / (2**k / math.sqrt(k * math.log(2))) < 1
        for k in (12, 20, 40))),
    "FL-B1": ("$\\sqrt L$", lambda: math.isclose(times("FL-B1", L=TOP), TOP**0.5)),
    "US-S3-variance": ("$1/\\tau$", lambda: math.isclose(
        times("US-S3-variance", tau="1/1000"), 1000)),
    "US-A2.3": ("unbounded", lambda: grows("US-A2.3", {}, {"j": TOP})),
    "US-A2.7": ("at least", lambda: times("US-A2.7") > 1.017),
    "US-A2.8": ("infinite", lambda: grows("US-A2.8", {}, {"h": "10**-20"})),
    "US-S4-identical": ("infinite", lambda: infinite("US-S4-identical")),
    "US-T4.1": ("infinite", lambda: get_claim("US-T4.1").sides()[1] < 0),
    "US-T4.1.order": ("unbounded", lambda: grows("US-T4.1", {}, {"bits": "10**24"},
                                                 reading="order")),
    "US-S8.2-uniform": ("$1/\\delta$", lambda: 0.9999 < times("US-S8.2-uniform") / 10 <= 1),
    "US-L4.3": ("unbounded", lambda: grows(
        "US-L4.3", few(2), few(3), few(4))),
    "US-L4.3.order": ("unbounded", lambda: grows("US-L4.3", {}, {"bits": "10**24"},
                                                 reading="order")),
    "US-L6.2": ("unbounded", lambda: grows("US-L6.2", *(
        {"B": b, "norm": b - 1, "tau": f"1/{10**3 * b**2}"} for b in (10**2, 10**4, 10**6)))),
    "US-L6.2.with-omitted-hypothesis": ("unbounded", lambda: grows(
        "US-L6.2", few(2), few(3),
        reading="with-omitted-hypothesis")),
    "US-S6.3-norm": ("unbounded", lambda: grows(
        "US-S6.3-norm", *({"a": 4 * q * q, "e": f"{q}/5"} for q in (10, 100, 1000)))),
    "US-S6.3-norm.real-draws": ("unbounded", lambda: bridges("US-S6.3-norm", "real-draws")),
    "US-S6.3-beta": ("infinite", lambda: infinite("US-S6.3-beta")),
    "US-S6.3-variance": ("unbounded", lambda: grows("US-S6.3-variance", {}, {"tau": 10**5})),
    "US-L4.4": ("unbounded", lambda: bridges("US-L4.4", "fixed-kernel")),
    "US-L4.4.spectrum": ("a logarithm of N", deviates),
    "US-L4.4.fixed-kernel": ("unbounded", lambda: bridges("US-L4.4", "fixed-kernel")),
    "US-N1": ("unbounded", lambda: grows("US-N1", {}, {"tau": "10**-9"})),
    "US-S7.1": ("unbounded", lambda: grows("US-S7.1", {}, {"n": 2**20, "tau": "2**-20"})),
}  # fmt: skip


def refuted():
    for claim in claims().values():
        for reading in claim.readings:
            proved = reading.severity and reading.method != "statistical"
            if proved and claim.paper != "KL":
                yield claim.id + (reading.reading != PRINTED) * f".{reading.reading}", reading


def test_every_refuted_row_says_its_supremum():
    of_papers = {name for name, _ in refuted() if not name.startswith("OURS-")}
    assert of_papers == SUPREMA.keys()


@pytest.mark.parametrize("name", SUPREMA)
def test_supremum(name):
    says, is_so = SUPREMA[name]
    assert says in dict(refuted())[name].supremum
    assert is_so()


def test_releases_of_the_event_lie_high():
    """FL-LA.2: what moves down in v' was higher in v, so that high releases speak for v."""
    (reading,) = claims()["FL-LA.2"].readings
    assert "in $v'$ these move down" in reading.counterexample
    assert "their releases lie high" in reading.counterexample
