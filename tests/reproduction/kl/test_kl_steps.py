"""Both sides of the printed proofs' steps, at counterexamples small enough to be done by hand."""

from fractions import Fraction as F
from math import exp, log, sqrt

import pytest
from flint import arb

from dpbandits.audit.computed.balls import ball
from dpbandits.core.errors import ProofError
from dpbandits.reproduction.kl.counterexamples import linear, rlhf
from dpbandits.reproduction.kl.counterexamples.counterexample import leader_steps
from dpbandits.reproduction.kl.counterexamples.linear import Records, sensitivity_steps
from dpbandits.reproduction.kl.counterexamples.rlhf import Axes
from dpbandits.reproduction.proofs import at_certificate_precision

ONE = ((1,),)


def sides(steps):
    return [(s.name.split(",")[0], float(s.left.mid()), float(s.right.mid())) for s in steps]


def same(found, expected):
    assert [name for name, *_ in found] == [name for name, *_ in expected]
    for (name, *left), (_, *right) in zip(found, expected, strict=True):
        assert left == pytest.approx(right, rel=1e-12, abs=1e-15), name


def test_a_removal_in_appendix_c():
    """Records -1, -1, 1 of reward 1: Sigma 4, theta -1/4; without the last 3 and -2/3; l = 4,
    n = 3, d = 1: the reach of (21) is 1 + sqrt(3/3) = 2."""
    found = linear.theorem2_pure_appendix()
    width, after = 1 / 2, 1 / sqrt(3)
    own = [
        ("(21)", 2 / 3 - 1 / 4, 2 / 2 * width),
        ("(22) or (23)", after - width, width / (2 * 3)),
        ("(22)", sqrt(1 + 1 / 4) * width, after),
    ]
    # both actions alike; the scores of 1 and -1 differ by 2 theta/eta, eta = 1/20
    loss = log((1 + exp(80 / 3)) / (1 + exp(10)) * exp(10 - 80 / 3))
    loss = max(abs(loss), abs(log((1 + exp(80 / 3)) / (1 + exp(10)))))
    bound = (2 / 2 + 0.1 / (2 * 3)) * 20 / 2
    same(sides(found.steps), [*own, *own, ("Lemma 1", loss, bound)])


@at_certificate_precision
def test_an_addition_in_appendix_c():
    """Records 2 of reward 1 twice: Sigma 9, theta 4/9; with 1 of reward 0: 10 and 2/5; n = 2."""
    data = Records((((F(2),), 1, 2),))
    more = Records((*data.records, ((F(1),), 0, 1)))
    width, after = 1 / 3, 1 / sqrt(10)
    same(
        sides(sensitivity_steps(data, more, ONE)),
        [
            ("(21)", 4 / 9 - 2 / 5, (1 + sqrt(2 / 8)) / 3 * width),
            ("(22) or (23)", width - after, width / (2 * 9)),
            ("(21)", 2 / 9, 1 / 8),
            ("(23)", width - after, width / 2 * width),
            ("(23)", width / 2 * width, width / 18),
        ],
    )


@at_certificate_precision
def test_the_last_steps_of_12_and_24():
    """Means 2 and 1, widths 2 and 1, beta0 = 1/4, eta = 1/2: scores 3/2 and 3/4; above the
    threshold 3/2 stands the first; the better covered one has the width 1."""
    known = ball(F(3, 2)), ball(F(1, 4)), ball(F(1, 2))
    found = leader_steps([ball(2), ball(1)], [ball(2), ball(1)], *known, where="(x)")
    between = 2 * exp((2 - 3 / 8 - 3 / 2) * 2)
    same(
        sides(found),
        [
            ("(x)", exp(3) / (exp(3) + exp(1.5)), between),
            ("(x)", between, 2 * exp((1 - 3 / 2) / 4 * 2)),
        ],
    )


@at_certificate_precision
def test_single_moves_in_appendix_d():
    """Differences 2, four won and two lost, B = 1: Sigma 25 and theta = ln(2)/2. One more that is
    lost: 29 and ln(4/3)/2. And the other way round: three won and two lost, one more is won."""
    data = Axes(((F(2), 4, 2),), F(1))
    more = data.change(0, 1)
    theta, after = log(2) / 2, log(4 / 3) / 2
    gamma, grown = 1 / (2 + exp(2) + exp(-2)), exp(2)
    share, product = -4 / 6, 2 * 1 / (4 * 7)  # a lost record: -sigma; z phi/(Sigma+ - 1)
    moved = gamma * (after - theta)
    most = 1 / (1 + 1 / grown)
    found = rlhf.sensitivity_steps(data, ((data, more),), ONE)
    same(
        sides(found),
        [
            ("(26)", gamma, 4 * 2 / 36), ("(26)", gamma, 4 * 3 / 49),
            ("(29)", moved, share * product),
            ("(29)", -share * product, most * product),
            ("(30)", -moved, most * product),
            ("(31)", theta - after, (1 + grown) * 2 / sqrt(24) / sqrt(24)),
            (rlhf.HALF_STEP, 2 / sqrt(24), 1 / sqrt(24)),
        ],
    )  # fmt: skip
    won = rlhf.sensitivity_steps(data, ((data.change(1, 0), data),), ((-2,),))
    loewner = next(s for s in won if s.name == rlhf.LOEWNER_STEP)
    assert float(loewner.left.mid()) == pytest.approx(gamma * -2 * (log(5 / 2) - log(2)) / 2)
    assert float(loewner.right.mid()) == pytest.approx(2 / 6 * 2 * -2 / (4 * 7))  # 1 - sigma
    width = rlhf.width_steps(more, data, ONE)
    expected = [(rlhf.WIDTH_STEP, 1 / 5 - 1 / sqrt(29), 2 / sqrt(29) / 28)]
    same(sides(width), expected)


def test_the_mle_of_axes_must_lie_inside_the_ball():
    assert float(Axes(((F(2), 3, 1),), F(56, 100)).theta[0].mid()) == pytest.approx(log(3) / 2)
    with pytest.raises(ProofError, match="inside the ball"):
        Axes(((F(2), 3, 1),), F(54, 100)).theta  # noqa: B018
    two = Axes(((F(1), 3, 1), (F(1), 1, 3)), F(156, 100))
    assert len(two.theta) == 2
    with pytest.raises(ProofError, match="inside the ball"):
        Axes(two.axes, F(155, 100)).theta  # noqa: B018


def test_flips_of_even_labels():
    """10 of 20 become 11 or 9: theta = ln(11/9)/2 or its negative, actions 1 and -1."""
    for to, sign in ((1, 1), (0, -1)):
        data = rlhf.even(F(1))
        moves = rlhf.flip(data, to=to)
        after = moves[-1][1]
        pair = [side.policy(rlhf.BOTH_WAYS, F(1)) for side in (data, after)]
        after = sign * log(11 / 9)
        assert [float(x.mid()) for x in pair[0]] == pytest.approx([0.5, 0.5])
        assert float(pair[1][0].mid()) == pytest.approx(1 / (1 + exp(-after)))
        (start, middle), (again, end) = moves
        assert (start.axes[0][1:], end.axes[0][1:]) == ((10, 10), (10 + sign, 10 - sign))
        assert middle == again
        assert middle.count == 19


def test_action_at_the_threshold_is_covered():
    """Widths 2, 3/2 and 1 at the threshold 3/2: only the first is poorly covered."""
    widths, means = [arb(2), arb(1.5), arb(1)], [arb(1)] * 3
    first = leader_steps(means, widths, arb(1.5), arb(1), arb(1), where="")[0]
    weights = [exp(-w) for w in (2, 1.5, 1)]
    assert float(first.left.mid()) == pytest.approx(weights[0] / sum(weights))


def test_display_24_at_the_certificate_of_corollary_2():
    """lambda0 = 100/c^2, so 1/sqrt(lambda0) = c/10; the action 0 has width 0."""
    name, _, right = sides(linear.corollary2_approx().steps)[-1]
    assert (name, right) == ("(24)", pytest.approx(2 * exp(198 * 20 * (0 - 3 / 40 / 10))))
