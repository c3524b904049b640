"""The terms of the certificate of preferences, each alone: hand values and enumerations.

On a line nothing is lost but the second order, and all can be worked out by hand: n records with
|z| = 2, of which k are won and m = n - k lost, have theta = ln(k/m)/2, H = 4 n (k/n)(m/n).
"""

from math import exp, log

import numpy as np
import pytest

from dpbandits.offline.engine.certificates import pairwise
from dpbandits.offline.preference import certificate
from dpbandits.offline.preference.certificate import PreferenceCertificate
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.problem import Preferences


def on_a_line(won, lost, radius=9.0, actions=(1.0, -1.0), eta=1.0, beta0=0.0, reference=None):
    signed = np.array([[2.0]] * won + [[-2.0]] * lost)
    own = {"eta": eta, "beta0": beta0, "penalty": 1.0, "radius": radius}
    own["log_reference"] = reference
    return PreferenceAudit(Preferences(signed), np.array(actions)[:, None], **own)


def bare(theta, near=0.0, far=0.0, extra=0.0, radius=99.0):
    """A certificate of which only the terms named are not 0; G = diag(1/4, 1)."""
    own = object.__new__(PreferenceCertificate)
    own.audit = on_a_line(2, 1, radius, eta=0.5)
    own.theta, own.near, own.far, own.extra, own.widest = np.array(theta), near, far, extra, 3.0
    own.root, own.project = np.diag([0.5, 1.0]), np.eye(2)
    return own


# --- how far the MLE moves --------------------------------------------------------------------
@pytest.mark.parametrize(("won", "lost"), [(3, 3), (9, 4), (4, 9)])
def test_the_move_inside_the_ball(won, lost):
    """zeta Q = (2/sqrt H)^2 sigma(2 |theta|) = 1/m, m the fewer of won and lost; s = ln(m/(m-1)).
    The move is s/2; and s/(1 - e^-s) = s m, s/(e^s - 1) = s (m - 1) are high and low."""
    own, m = PreferenceCertificate(on_a_line(won, lost)), min(won, lost)
    s, hessian = log(m / (m - 1)), 4 * won * lost / (won + lost)
    assert own.theta == pytest.approx([log(won / lost) / 2], abs=1e-12)
    assert own.moved == pytest.approx(s / 2, rel=1e-8)
    assert (own.near, own.far) == pytest.approx((s * (2 * m - 1) / 2, s / 2), rel=1e-7)
    assert own.widest == pytest.approx(2 / hessian**0.5)
    assert own.root**2 == pytest.approx(1 / hessian)
    assert (own.extra, own.project) == (0.0, 1.0)


def test_the_move_where_the_ball_may_be_reached():
    """|theta| + s/2 against B, s = ln(4/3): at B or beyond the halves of `near` and high + far."""
    theta, s = log(9 / 4) / 2, log(4 / 3)
    for radius, reached in ((theta + s / 2 * 1.02, False), (theta + s / 2 * 0.98, True)):
        own = PreferenceCertificate(on_a_line(9, 4, radius))
        near, far = (7 * s / 4, (s / 2 + 4 * s) / 2) if reached else (7 * s / 2, s / 2)
        assert (own.near, own.far) == pytest.approx((near, far), rel=1e-7)


def test_the_move_on_the_surface():
    """B = ln(2)/2, so sigma(2 B) = 2/3: slope 2 (won - 2 lost)/3, nu = slope/B, H = 8 n/9, and nu/2
    is added to H. G of H + nu where it stays: slope sqrt(low/high) > 2 sigma(2 B) = 4/3."""
    ball = log(2) / 2
    for won, lost, stays in ((10, 4, False), (20, 4, True)):
        own = PreferenceCertificate(on_a_line(won, lost, ball))
        slope, hessian = 2 * (won - 2 * lost) / 3, 8 * (won + lost) / 9
        stiff = hessian + slope / ball / 2
        s = -log(1 - 4 / stiff * 2 / 3)
        high, low = s / (1 - exp(-s)), s / (exp(s) - 1)
        assert stays == (slope * (low / high) ** 0.5 > 4 / 3)
        moved = s / 2
        assert own.moved == pytest.approx(moved, rel=1e-7)
        near, far, g = (high + low) / 4, (high - low) / 4 + high / 2, 1 / stiff
        if stays:
            near, far, g = 2 * near, (high - low) / 2, 1 / (hessian + slope / ball)
            stiff = hessian + slope / ball  # shift = moved/sqrt(stiff), length = B/sqrt(stiff)
            far += near * moved / ball
            extra = (high / low) ** 0.5 * moved**2 / 2 * stiff**0.5 / (ball - moved)
            assert own.extra == pytest.approx(extra, rel=1e-6)
            assert own.project == pytest.approx(0.0, abs=1e-12)
        assert (own.near, own.far) == pytest.approx((near, far), rel=1e-7)
        assert own.root**2 == pytest.approx(g)
        assert own.widest == pytest.approx(2 * g**0.5)


def test_the_surface_is_left_where_the_slope_no_longer_holds():
    """nu sqrt(low theta'H^-1 theta) against 2 sqrt(high/h) sigma(2 |theta|): 2% on each side; and
    what is projected out: Pi = K - K theta theta'K/theta'K theta, K = (H + nu)^-1."""
    hessian, theta, high, low = np.diag([50.0, 30.0]), np.array([0.3, 0.4]), 1.2, 0.9
    least = 2 * (high / 30) ** 0.5 / (1 + exp(-1)) / (low * (0.09 / 50 + 0.16 / 30)) ** 0.5
    for factor, near in ((1.02, 1.0), (0.98, 0.5)):
        own = bare(theta, near=1.0)
        own._on_the_ball(hessian, factor * least, 1e-9, high, low)
        assert own.near == near
        if near == 1.0:
            k = np.linalg.inv(hessian + factor * least * np.eye(2))
            pi = k - np.outer(k @ theta, k @ theta) / (theta @ k @ theta)
            assert own.root @ own.project @ own.root.T == pytest.approx(pi, abs=1e-12)


# --- the largest change of a contrast -----------------------------------------------------------
def test_each_term_of_the_largest_change_alone():
    """v = (3, 4), theta = (0.3, 0): |v|_G = sqrt(9/4 + 16), tau at most sigma(0.6) for `far`."""
    v, size = np.array([[3.0, 4.0]]), (9 / 4 + 16) ** 0.5
    found = [bare([0.3, 0.0], **t)._largest(v)[0] for t in ({"far": 0.7}, {"extra": 0.2})]
    assert found == pytest.approx(np.array([[0.7 * 3 * size / (1 + exp(-0.6))], [0.2 * size]]))
    assert bare([0.3, 0.0], extra=9.0, radius=2.0)._largest(v)[0] == pytest.approx(2 * 5 - 0.9)
    assert bare([0.3, 0.0], near=np.inf, radius=2.0)._largest(v)[0] == pytest.approx(2 * 5 - 0.9)


@pytest.mark.parametrize("angle", np.arange(8) * np.pi / 8)
def test_at_theta_0_slabs_lose_nothing(angle):
    """tau = 1/2 and |z| <= 2: half of 2 |G v|, at z along G v."""
    v = np.array([[4 * np.cos(angle), np.sin(angle)]])  # G v is the unit vector
    found, z = bare([0.0, 0.0], near=0.8)._largest(v)
    assert found == pytest.approx(0.8, rel=1e-12)
    assert z == pytest.approx(2 * v / [4, 1], abs=1e-6)


@pytest.mark.parametrize("far", [0.0, 0.6])
@pytest.mark.parametrize("theta", [(0.4, 0.0), (0.0, -1.0), (1.5, 2.0)])
def test_slabs_against_all_differences(theta, far):
    """A slab has the smallest z'theta in tau, the largest v'G z, or 0: enumerated over the circle,
    which has the extremes of each slab; and above the bound without slabs, closely."""
    own = bare(theta, near=1.0, far=far)
    turns = np.arange(8000) * 2 * np.pi / 8000
    z = 2 * np.stack([np.cos(turns), np.sin(turns)])
    size = np.linalg.norm(theta)
    t = np.array(theta) @ z / size
    floor = np.clip(np.floor((t + 2) * 24 + 1e-9), 0, 95) / 24 - 2  # 96 slabs of width 1/24
    for v in np.array([[4.0, 0.0], [-4.0, 0.0], [0.0, 1.0], [2.0, 0.8], [-3.0, 0.5]]):
        terms = np.maximum((v / [4, 1]) @ z, 0) + far * 3 * np.linalg.norm(v / [2, 1])
        slabs = (terms / (1 + np.exp(size * floor))).max()
        plain = (terms / (1 + np.exp(size * t))).max()
        found = own._largest(v[None])[0][0]
        assert found == pytest.approx(slabs, rel=2e-3)
        assert plain <= found <= plain * (1 + size / 24)


def test_each_term_of_the_largest_deviation_alone():
    """form = (3, 2)(3, 2)', with 9/16 + 4 of G form G and 9/4 + 4 of root' form root: near 2 tau
    sqrt(73)/4, far widest tau 5/2, extra 5/2; tau = sigma(0.6), over eta = 1/2. Of `near` an axis
    alone leaves 9/16 or 4."""
    tau, form = 1 / (1 + exp(-0.6)), np.array([[9.0, 6.0], [6.0, 4.0]])
    for axes, root in (([1, 1], 73**0.5 / 4), ([1, 0], 0.75), ([0, 1], 2.0)):
        for term, value in (("near", 2 * tau * root), ("far", 7.5 * tau), ("extra", 2.5)):
            own = bare([0.3, 0.0], **{term: 0.7})
            own.project = np.diag(axes)
            assert own._deviation(form) == pytest.approx(0.7 * value / 0.5, rel=1e-8)


# --- widths, ratios and spread --------------------------------------------------------------------
def test_how_much_a_record_narrows():
    """sqrt(a'P a) before and after, over the circle of records."""
    signed = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, -0.5]])
    actions = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, -0.8], [0.1, 0.2]])
    own = {"eta": 1.0, "beta0": 0.0, "penalty": 0.5, "radius": 1.0}
    audit = PreferenceAudit(Preferences(signed), actions, **own)
    sigma = 0.5 * np.eye(2) + signed.T @ signed
    turns = np.arange(2000) * np.pi / 2000
    z = 2 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    after = np.linalg.inv(sigma + z[:, :, None] * z[:, None, :])
    left = np.sqrt(np.einsum("ai,zij,aj->za", actions, after, actions)).min(axis=0)
    before = np.sqrt(np.einsum("ai,ij,aj->a", actions, np.linalg.inv(sigma), actions))
    assert certificate._narrowing(audit) == pytest.approx(before - left, rel=1e-4)


@pytest.mark.parametrize("beta0", [0.0, 2.0])
def test_ratios_and_spread_of_a_line(beta0):
    """20 won, 20 lost: theta = 0 and the move is at most ln(20/19)/2, so x |c| bounds the change of
    a contrast c over eta. Widths |a| shrink from 1/sqrt(161) to 1/sqrt(165). h(m) is
    (e^m - 1 - m)/m^2. Back: Gibbs' -ln E_pi e^(-x |b - a|), as b - a has one sign for both."""
    eta, a = 0.02, np.array([1.0, -0.5])
    own = PreferenceCertificate(on_a_line(20, 20, 9.0, a, eta, beta0))
    x, w = log(20 / 19) / 2 / eta, beta0 / eta * np.abs(a) * (161**-0.5 - 165**-0.5)
    pi = np.exp(own.log_pi)
    assert pi == pytest.approx(np.exp(-beta0 / eta * np.abs(a) / 161**0.5) / np.sum(
        np.exp(-beta0 / eta * np.abs(a) / 161**0.5)))  # fmt: skip
    apart = x * np.abs(a[None, :] - a[:, None])
    change = apart + w * (1 - np.eye(2))
    assert own.change == pytest.approx(change, rel=1e-7)

    def h(m):
        return (np.exp(m) - 1 - m) / m**2

    means = np.array([pi @ row for row in apart])
    sizes = np.sqrt([pi @ row**2 for row in apart])
    wider = np.sqrt([pi @ np.maximum(w, each) ** 2 for each in w])
    forth = np.log(1 + means + pi @ w + h(change.max(axis=1)) * (sizes + wider) ** 2)
    assert own._forth() == pytest.approx(forth, rel=1e-6)
    back = w - np.log([pi @ np.exp(-row) for row in apart])
    assert own._back() == pytest.approx(back, rel=1e-3)
    deviation = x * (pi @ (a - pi @ a) ** 2) ** 0.5 + (pi @ w**2) ** 0.5
    mean = np.log(1 + h((pi @ change).max()) * deviation**2)
    assert own.spread == pytest.approx((deviation, mean), rel=1e-6)
    least = pairwise(own.log_pi, change)
    assert own.ratios.forth == pytest.approx(np.minimum(least.forth, forth), rel=1e-6)
    assert own.ratios.back == pytest.approx(np.minimum(least.back, back), rel=1e-3)


def test_back_the_policy_is_tilted_by_the_move_of_the_worst_record():
    """30 won, 10 lost, H = 30, pi uniform by its reference: the worst records 2, -2 have tau 1/4,
    3/4, and moves tau 2/30 to first order; with s = ln(10/9), high = 10 s they are high tau 2/30,
    but tau of 2 is that of its slab's lower edge. Action 1 gains by a step up, -1 by one down."""
    theta, eta, actions = log(3) / 2, 0.02, np.array([1.0, -1.0])
    own = PreferenceCertificate(
        on_a_line(30, 10, 9.0, actions, eta, reference=-theta * actions / eta)
    )
    assert own.log_pi == pytest.approx([log(0.5)] * 2, abs=1e-9)
    tau = np.array([1 / (1 + exp(theta * (2 - 1 / 24))), 3 / 4])
    x = 10 * log(10 / 9) * tau * 2 / 30 / eta
    assert own._back() == pytest.approx(-np.log((1 + np.exp(-2 * x)) / 2), rel=2e-3)
