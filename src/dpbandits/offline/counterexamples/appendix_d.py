"""Data of one difference per axis, and what Appendix D prints about a record more or less of it."""

from dataclasses import dataclass, replace
from fractions import Fraction as F
from operator import attrgetter

from flint import arb

from dpbandits.audit.balls import ball
from dpbandits.core.errors import require_proof
from dpbandits.offline.counterexamples.counterexample import Diagonal, Step

LOEWNER_STEP, HALF_STEP, WIDTH_STEP = "(29)", "(31)", "(33)"


@dataclass(frozen=True)
class Axes(Diagonal):
    """Per axis (difference, won, lost); lambda = 1."""

    axes: tuple[tuple[F, int, int], ...]
    radius: F

    @property
    def count(self) -> int:
        return sum(won + lost for _, won, lost in self.axes)

    @property
    def sigma(self) -> list[F]:
        return [1 + F(z) ** 2 * (won + lost) for z, won, lost in self.axes]

    @property
    def rows(self) -> list:
        """Both answers' features, half a difference each way, the label, how many."""
        found = []
        for i, (z, won, lost) in enumerate(self.axes):
            half = [F(z, 2) * (i == j) for j in range(len(self.axes))]
            pair = [half, [-x for x in half]]
            found += [[*pair, 1, won], [*pair, 0, lost]]
        return found

    @property
    def lambda_min(self) -> arb:
        return ball(min(self.sigma))

    @property
    def theta(self) -> list[arb]:
        found = [ball(F(won, lost)).log() / ball(z) for z, won, lost in self.axes]
        size = sum((t * t for t in found), arb(0)).sqrt()
        require_proof(size < ball(self.radius), "the MLE is inside the ball")
        return found

    def mean(self, phi) -> arb:
        return sum((t * x for t, x in zip(self.theta, phi, strict=True)), arb(0))

    def change(self, won: int, lost: int) -> "Axes":
        """Records of the first axis added (or taken away)."""
        z, w, k = self.axes[0]
        return replace(self, axes=((z, w + won, k + lost), *self.axes[1:]))


def sensitivity_steps(data: Axes, moves, actions) -> tuple[Step, ...]:
    """Appendix D's (29), then (31), for every move that the pair is made of, at the actions.

    A move is a record of the first axis that one side, D+, has more: (29) is about that addition.
    """
    z, rest = data.axes[0][0], data.lambda_min - 1
    grown = 1 + (2 * ball(data.radius)).exp()
    steps = [
        step
        for move in moves
        for step in _bilinear(*sorted(move, key=attrgetter("count")), actions)
    ]
    for first, second in moves:
        for a in actions:
            norm = ball(sum(F(x) ** 2 / (s - 1) for x, s in zip(a, data.sigma, strict=True))).sqrt()
            own = ball(abs(F(z)) / 1) / ball(data.sigma[0] - 1).sqrt()
            moved = abs(second.mean(a) - first.mean(a))
            steps.append(Step("(31), first inequality", moved, grown * own * norm))
            steps.append(Step(HALF_STEP, own, 1 / rest.sqrt()))
    return tuple(steps)


def width_steps(data: Axes, less: Axes, actions) -> tuple[Step, ...]:
    """(33) for one record less."""
    own = [(data.width(a), less.width(a)) for a in actions]
    return tuple(Step(WIDTH_STEP, after - w, 2 * w / (data.lambda_min - 1)) for w, after in own)


def _bilinear(data: Axes, more: Axes, actions) -> list[Step]:
    """(29) for one record more: its first inequality, then its last, with (30)'s absolute values.

    Both gradients are 0 at their MLEs, so what stands between is y' times the mean Hessian times v.
    """
    (z, won, lost), won_after = data.axes[0], more.axes[0][1]
    grown = (2 * ball(data.radius)).exp()
    gamma, most = 1 / (2 + grown + 1 / grown), 1 / (1 + 1 / grown)
    share = ball(F(lost if won_after > won else -won, won + lost))  # y0 (1 - sigma) - (1-y0) sigma
    curved = [F(w * k, (w + k) ** 2) for _, w, k in (data.axes[0], more.axes[0])]
    first, last, ends = [Step("(26)", gamma, ball(x)) for x in curved], [], []
    for a in actions:
        moved = gamma * (more.mean(a) - data.mean(a))
        product = ball(F(z) * F(a[0]) / (more.sigma[0] - 1))
        first.append(Step(LOEWNER_STEP, moved, share * product))
        last.append(Step("(29), last inequality", abs(share * product), most * abs(product)))
        ends.append(Step("(30), first inequality", abs(moved), most * abs(product)))
    return [*first, *last, *ends]
