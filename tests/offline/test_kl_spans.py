"""How far, how fine and how often KL's searches look, from what they ask."""

import importlib
from math import ceil, log, log2
from types import SimpleNamespace

import numpy as np
import pytest
from lines import line

from dpbandits.offline import theory
from dpbandits.offline.engine import families, families_rlhf
from dpbandits.offline.engine.search import maximise
from dpbandits.offline.linear.certificate import AdditionCertificate
from dpbandits.offline.mechanisms import bounds, calibration, feature_calibration
from dpbandits.offline.mechanisms.inputs import BanditAudit
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import SeparableData
from dpbandits.offline.problem import Preferences

ARMS = "arm,reward\n0,1\n0,3\n1,2\n1,0\n1,1\n"


def asking(least):
    """Whether eta is at least this, and the eta asked for."""
    asked = []
    return lambda eta: (asked.append(eta), eta >= least)[1], asked


def test_which_thresholds_the_printed_theorem_is_taken_at(files, monkeypatch):
    """400 of N0, evenly in logarithms, from 1/100 to 100 times the largest count, 3."""
    asked = []
    monkeypatch.setattr(
        bounds.theory, "theorem1_approx", lambda *known: (asked.append(known), theory.Bound(1.0))[1]
    )
    path = files(arms=ARMS)["arms"]
    bounds.bound_bandit(BanditAudit(data=path, eta=0.25, beta0=0.75, reward_max=3.0))
    assert {(*known[:4], known[5]) for known in asked} == {(2, 3, 0.25, 0.75, 3.0)}
    steps = np.diff(np.log([known[4] for known in asked]))
    assert (len(asked), asked[0][4], asked[-1][4]) == (400, pytest.approx(0.01), pytest.approx(300))
    assert steps == pytest.approx(np.full(399, log(30000) / 399))


def test_which_beta0_a_calibration_tries(files, monkeypatch):
    """0 to 4 times the largest reward, 3, unless one is given; eta is looked for in that unit."""
    asked, path = [], files(arms=ARMS)["arms"]

    def smallest(meets, unit):
        asked.append((*meets.args, unit))
        return 7.0

    monkeypatch.setattr(calibration, "smallest", smallest)
    target = {"data": path, "reward_max": 3.0}
    found = calibration.calibrate_bandit(calibration.BanditTarget(**target), 9.0)
    assert asked == [(b, 3.0) for b in (0.0, 0.75, 1.5, 3.0, 6.0, 12.0)]
    assert (found.noise["eta"], found.noise["beta0"] in (0.0, 12.0)) == (7.0, True)
    asked.clear()
    calibration.calibrate_bandit(calibration.BanditTarget(**target, beta0=2.0), 9.0)
    assert asked == [(2.0, 3.0)]
    assert feature_calibration.BETA0_TRIED == (0.0, 0.5, 2.0)


def test_where_a_calibration_looks_for_eta():
    """Down from 10^9 units by 2^(1/4) while the target is met, then halved to 10^-10 in ratio."""
    meets, asked = asking(0.0)
    found = calibration.smallest(meets, 2.0)
    assert asked == pytest.approx([2e9 / 2 ** (k / 4) for k in range(241)])  # below 2e-9 at last
    assert found == pytest.approx(2e9 / 2**60)
    meets, asked = asking(3.0)
    calibration.smallest(meets, 1.0)
    steps = next(k for k in range(241) if 1e9 / 2 ** (k / 4) < 3.0)
    assert len(asked) == 1 + steps + ceil(log2(log(2) / 4 / 1e-10))


def test_where_a_calibration_of_features_looks_for_eta():
    """Doubled up to 60 times, halved down to 10^-9, then to a thousandth."""
    meets, asked = asking(0.0)
    halvings = ceil(log2(log(2) / log(1.001)))
    found = feature_calibration.least_eta(meets)
    assert asked[:31] == [2.0**-k for k in range(31)]  # 2^-30 is below 10^-9
    assert len(asked) == 31 + halvings
    assert 2.0**-31 < found < 1.001 * 2.0**-31
    meets, asked = asking(1e99)
    assert feature_calibration.least_eta(meets) is None
    assert asked == [2.0**k for k in range(60)]


def test_how_fine_the_eps_of_a_delta_is():
    """1 and 2 are tried, 4 is enough; then halves, to 10^-10 of the larger end."""
    asked = []

    def loss(epsilons):
        asked.extend(epsilons)
        return type("Found", (), {"delta": {e: float(e < 3.0) for e in epsilons}})

    assert calibration._epsilon_at(loss, 0.5) == pytest.approx(3.0, rel=2e-10)
    assert asked[:4] == [0.0, 1.0, 2.0, 4.0]
    assert len(asked) == 4 + ceil(log2(2 / (1e-10 * 3)))


def test_which_multiples_of_the_least_eta_are_compared():
    """1 to 10^6, 240 steps; if none of them meets the target, the least does."""
    laws, asked = {0.5: np.log([0.7, 0.3])}, []
    even, means = np.log([0.5, 0.5]), np.array([0.0, 1.0])  # the worse arm leads: J wants more

    def meets(beta0, eta):
        asked.append(eta / 2.0)
        return False

    found = calibration.highest({0.5: 2.0}, laws, means, even, 0.1, meets)
    assert (found, len(asked)) == ((2.0, 0.5), 240)
    assert asked == pytest.approx([10 ** (6 - k / 40) for k in range(240)])


def test_how_much_a_search_looks_at():
    """The 6 best starts, 60 times 24 moves of each."""
    sizes = []
    maximise(lambda points: (sizes.append(len(points)), points[:, 0])[1], np.eye(9), 1.0, "label")
    assert sizes == [9] + 60 * [6 * 24]


def test_how_far_a_search_steps():
    """Half of the radius, 3, at first, and 3/4 of that in every round; every other move whole."""
    moves = []
    maximise(lambda points: (moves.append(points), np.zeros(len(points)))[1], np.zeros((6, 1)), 3.0,
             "label")  # fmt: skip
    spread = [one.reshape(6, 24)[:, 1::2].std() for one in moves[1:]]
    rounds = np.arange(1, 60)  # the first is cut by the ball
    slope, start = np.polyfit(rounds, np.log(spread[1:]), 1)
    assert (slope, start) == (pytest.approx(log(0.75), rel=0.01), pytest.approx(log(1.5), abs=0.1))


class Seen(Exception):
    """What was asked is known: the rest need not be done."""


@pytest.mark.parametrize(("study", "beta0"), [("choice", 0.0), ("utility_vs_privacy", 1.25)])
def test_how_the_studies_fit_preferences(study, beta0, monkeypatch):
    """eta and lambda 1, B = 3, the actions once round the circle; theta = (1/2, 0), coverage 1."""
    asked, module = [], importlib.import_module(f"dpbandits.offline.studies.{study}")

    def audit(data, actions, **own):
        asked.append((actions, own))
        raise Seen

    def draw(*known):
        asked.append(known[:3])
        return Preferences(np.array([[1.0, 0.0]]))

    monkeypatch.setattr(module, "PreferenceAudit", audit)
    monkeypatch.setattr(module, "draw_preferences", draw)
    params = SimpleNamespace(actions=4, beta0=1.25, preferences=7, levels=5)
    given = (params, 7, 0.5, None) if study == "choice" else (params, None)
    with pytest.raises(Seen):
        getattr(module, "_preferences" if study == "choice" else "_preference_curves")(*given)
    (count, theta, coverage), (actions, own) = asked
    assert (count, theta.tolist(), coverage) == (7, [0.5, 0.0], 1.0)
    assert actions == pytest.approx(np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]))
    assert own == {"eta": 1.0, "beta0": beta0, "penalty": 1.0, "radius": 3.0}


def test_a_single_action_has_no_events():
    """It is played for sure: nothing is lost, and no set of some of the actions is left to ask."""
    own = AdditionCertificate(line([[1.0], [-1.0]], actions=[[1.0]]))
    assert own.delta(0.25) <= 1e-9


@pytest.mark.parametrize(("few", "c"), [(5.0, 0.144), (41.0, 0.99)])
def test_at_which_share_corollary_3_is_compared(few, c, monkeypatch):
    """n = 80, d = 2: k1 = 80/(2 (l - 1)), 10 or 1; c is 1.44/k1, and below 1."""
    asked = []
    monkeypatch.setattr(
        families_rlhf.theory,
        "corollary3_approx",
        lambda *known: (asked.append(known), theory.Bound(1.0, 0.5))[1],
    )
    base, others = np.log(np.full(3, 1 / 3)), np.log(np.full((8, 3), 1 / 3))
    data = {"eta": 0.5, "beta0": 2.0, "B": 0.25, "lambda0": 9.0, "counts": np.full(8, 10.0)}
    known = base[None], others[None], others[None], np.array([few]), np.array([0.125]), [data]
    families_rlhf.PreferenceFamily()._ratios(*known)
    assert asked == [(3, 80, 2, pytest.approx(1.44 / c if c < 0.9 else 1), 0.5, 2.0, 0.25, c)]


@pytest.mark.parametrize(("x", "k1", "c"), [(0.25, 16, 0.09), (1.0, 1, 0.99)])
def test_at_which_share_corollary_2_is_compared(x, k1, c, monkeypatch):
    """n records x: l = 1 + n x^2, k1 = 1/x^2."""
    asked = []
    monkeypatch.setattr(
        families.theory,
        "corollary2_approx",
        lambda *known: (asked.append(known), theory.Bound(1.0, 0.5))[1],
    )
    given = {"actions": np.array([[1.0], [-1.0]]), "eta": 0.5, "beta0": 2.0, "lambda0": 9.0}
    features = np.full((32, 1), x)
    families.LinearFamily()._one(features, np.ones(32), penalty=1.0, **given)
    assert asked == [(2, 32, 1, pytest.approx(k1), 0.5, 2.0, pytest.approx(c))]


def test_a_neighbour_has_its_new_record():
    """Without a ball: ten of 0.01 alone are separable, with -0.02 they are not; theta is large."""
    signed = np.array([[0.01]] * 10 + [[-0.01]])
    own = {"eta": 0.5, "beta0": 0.5, "penalty": 1.0, "radius": np.inf}
    audit = PreferenceAudit(Preferences(signed), np.array([[1.0], [-1.0]]), **own)
    found = audit.changed(np.array([[[-0.01], [-0.02]]]), np.array([[-1.0, 1.0]]))
    assert np.isfinite(found).all()
    with pytest.raises(SeparableData):
        audit.changed(np.array([[[-0.01]]]), np.array([[-1.0]]))
