"""The smallest clean data sets at which printed bounds fail, certified in ball arithmetic.

Each function returns a `Crossing`: what the mechanism really does, what the bound allows, whether
the first is proved to exceed the second, and the data set in words. Dimension is 1 throughout, so
that every quantity but exp, log and sqrt is a fraction.
"""

from dataclasses import dataclass
from fractions import Fraction as F

from flint import arb

from dpbandits.audit.balls import ball, delta_at, policy, precisely, pure_loss
from dpbandits.core.errors import require_proof
from dpbandits.offline import theory


@dataclass(frozen=True)
class Crossing:
    measured: arb
    allowed: arb
    words: str
    epsilon: arb | None = None  # where delta is measured; None: the pure loss
    pair: tuple[list[arb], list[arb]] | None = None  # the two policies, if there are two

    @property
    def proved(self) -> bool:
        return bool(self.measured > self.allowed)


# --- multi-armed bandit -------------------------------------------------------------------------

RARE = (
    "K=2, uniform pi0, R=1: arm 0 has 2 records of reward 1, arm 1 has 10000 of reward 0; "
    "beta0=6/5, eta=1/100; remove one record of arm 0"
)


def _rare_leader() -> tuple[list[arb], list[arb]]:
    """The best-looking arm has two records: the policy plays it, and drops it after a removal."""
    beta0, eta = F(6, 5), F(1, 100)
    common = -ball(beta0) / ball(10000).sqrt()
    before = policy([1 - ball(beta0) / ball(2).sqrt(), common], eta)
    after = policy([1 - ball(beta0), common], eta)
    return before, after


@precisely
def theorem1_approx() -> Crossing:
    bound = theory.theorem1_approx(2, ball(10000), ball(F(1, 100)), ball(F(6, 5)), ball(400))
    pair = _rare_leader()
    loss = delta_at(*pair, bound.epsilon)
    return Crossing(loss, bound.delta, f"{RARE}; N0=400", bound.epsilon, pair)


@precisely
def corollary1() -> Crossing:
    bound = theory.corollary1(2, ball(10000), ball(F(1, 100)), ball(F(6, 5)), ball(25))
    pair = _rare_leader()
    loss = delta_at(*pair, bound.epsilon)
    return Crossing(loss, bound.delta, f"{RARE}; k=25", bound.epsilon, pair)


# --- linear contextual bandit, d = 1 ------------------------------------------------------------


def _ridge(records, penalty=1):
    """(Sigma, theta) of a list of (phi, reward, how many)."""
    sigma = penalty + sum(F(phi) ** 2 * n for phi, _, n in records)
    return sigma, sum(F(phi) * reward * n for phi, reward, n in records) / sigma


def _linear_policy(records, actions, eta, beta0):
    sigma, theta = _ridge(records)
    width = 1 / ball(sigma).sqrt()
    return policy([ball(theta * phi) - ball(F(beta0) * abs(phi)) * width for phi in actions], eta)


@precisely
def theorem2_pure_appendix() -> Crossing:
    eta, beta0 = F(1, 20), F(1, 10)
    records = [(-1, 1, 2), (1, 1, 1)]
    before = _linear_policy(records, (1, -1), eta, beta0)
    after = _linear_policy(records[:1], (1, -1), eta, beta0)
    bound = theory.theorem2_pure_appendix(ball(3), 1, ball(4), ball(eta), ball(beta0))
    words = (
        "d=1, lambda=1, R=1: records phi=-1,-1,+1, all of reward 1; actions phi=+1,-1, uniform "
        "pi0; beta0=1/10, eta=1/20; remove the record phi=+1"
    )
    return Crossing(pure_loss(before, after), bound.epsilon, words, pair=(before, after))


@precisely
def theorem2_approx() -> Crossing:
    eta, beta0, lambda0 = F(1, 1000), 1, 10000
    before = _linear_policy([(1, 1, 10), (1, 0, 89)], (1, 0), eta, beta0)
    after = _linear_policy([(1, 1, 9), (1, 0, 89)], (1, 0), eta, beta0)
    bound = theory.theorem2_approx(
        2, ball(99), 1, ball(100), arb(0), ball(eta), ball(beta0), ball(lambda0)
    )
    words = (
        "d=1, lambda=1, R=1: 99 records phi=1, 10 of reward 1, 89 of reward 0; actions phi=1 and "
        "phi=0, uniform pi0; beta0=1, eta=1/1000, lambda0=10000; remove a record of reward 1"
    )
    loss = delta_at(before, after, bound.epsilon)
    return Crossing(loss, bound.delta, words, bound.epsilon, (before, after))


@precisely
def corollary2_approx() -> Crossing:
    eta, beta0, k1, c = F(1, 1010), 4, 100, F(144, 10000)
    crowd = (F(1, 10), 0, 9900)
    sigma, _ = _ridge([crowd, (1, 1, 1)])
    require_proof(sigma >= 1 + F(9901, k1), "the corollary's coverage assumption")
    before = _linear_policy([crowd, (1, 1, 1)], (1, -1), eta, beta0)
    after = _linear_policy([crowd], (1, -1), eta, beta0)
    bound = theory.corollary2_approx(2, ball(9901), 1, ball(k1), ball(eta), ball(beta0), ball(c))
    words = (
        "d=1, lambda=1, R=1: 9900 records phi=1/10 of reward 0 and one phi=1 of reward 1 "
        "(lambda_min=101 >= 1+n/k1, k1=100); actions phi=+1,-1, uniform pi0; beta0=4, eta=1/1010, "
        "c=0.0144; remove the record phi=1"
    )
    loss = delta_at(before, after, bound.epsilon)
    return Crossing(loss, bound.delta, words, bound.epsilon, (before, after))


# --- RLHF, d = 1 --------------------------------------------------------------------------------

# n records of one difference z, k with label 1: the MLE is ln(k/(n-k))/z, here inside the ball, so
# that the constrained and the unconstrained reading agree; the two actions +1, -1 have one width.


def _preference_policy(won: int, lost: int, eta, radius, difference=2) -> list[arb]:
    theta = ball(F(won, lost)).log() / ball(difference)
    require_proof(abs(theta) < ball(radius), "an estimate inside the ball")
    return policy([theta, -theta], eta)


EVEN = (
    "d=1, lambda=1: 20 records of feature difference 2, 10 with label 1; actions phi=+1,-1, "
    "uniform pi0; eta=1/100"
)


@precisely
def theorem3_pure() -> Crossing:
    eta, radius = F(1, 100), F(1, 5)
    pair = (_preference_policy(10, 10, eta, radius), _preference_policy(11, 9, eta, radius))
    loss = pure_loss(*pair)
    bound = theory.theorem3_pure(ball(81), 1, ball(eta), ball(radius))
    return Crossing(loss, bound.epsilon, f"{EVEN}, B=1/5; flip one label", pair=pair)


@precisely
def theorem3_approx() -> Crossing:
    eta, radius, beta0, lambda0 = F(1, 100), F(1, 5), 4, 36
    bound = theory.theorem3_approx(
        2, ball(81), 1, ball(F(1, 9)), ball(eta), beta0, ball(radius), ball(lambda0)
    )
    pair = (_preference_policy(10, 10, eta, radius), _preference_policy(11, 9, eta, radius))
    loss = delta_at(*pair, bound.epsilon)
    words = f"{EVEN}, B=1/5, beta0=4, lambda0=36; flip one label"
    return Crossing(loss, bound.delta, words, bound.epsilon, pair)


@precisely
def theorem4_pure() -> Crossing:
    eta, radius, beta0 = F(1, 100), F(1, 10), 1
    pair = (_preference_policy(10, 10, eta, radius), _preference_policy(10, 9, eta, radius))
    loss = pure_loss(*pair)
    bound = theory.theorem4_pure(ball(81), 1, ball(eta), beta0, ball(radius))
    words = f"{EVEN}, B=1/10, beta0=1; remove one record of label 0"
    return Crossing(loss, bound.epsilon, words, pair=pair)


@precisely
def theorem4_approx() -> Crossing:
    eta, radius, beta0, lambda0 = F(1, 100), F(1, 10), 4, 36
    bound = theory.theorem4_approx(
        2, ball(81), 1, ball(F(1, 9)), ball(eta), beta0, ball(radius), ball(lambda0)
    )
    pair = (_preference_policy(10, 10, eta, radius), _preference_policy(10, 9, eta, radius))
    loss = delta_at(*pair, bound.epsilon)
    words = f"{EVEN}, B=1/10, beta0=4, lambda0=36; remove one record of label 0"
    return Crossing(loss, bound.delta, words, bound.epsilon, pair)


@precisely
def corollary3_pure() -> Crossing:
    eta, radius = F(1, 100), F(1, 5)
    bound = theory.corollary3_pure(ball(20), 1, ball(F(1, 4)), ball(eta), ball(radius))
    pair = (_preference_policy(10, 10, eta, radius), _preference_policy(11, 9, eta, radius))
    loss = pure_loss(*pair)
    words = f"{EVEN}, B=1/5 (lambda_min=81=lambda+n/(k1 d), k1=1/4); flip one label"
    return Crossing(loss, bound.epsilon, words, pair=pair)


@precisely
def corollary3_approx() -> Crossing:
    eta, radius, beta0, k1, c = F(1, 100), F(1, 20), 6, 4, F(1, 2)
    bound = theory.corollary3_approx(
        2, ball(200), 1, ball(k1), ball(eta), beta0, ball(radius), ball(c)
    )
    z = F(1, 2)
    pair = (
        _preference_policy(100, 100, eta, radius, z),
        _preference_policy(101, 99, eta, radius, z),
    )
    loss = delta_at(*pair, bound.epsilon)
    words = (
        "d=1, lambda=1: 200 records of feature difference 1/2, 100 with label 1 (lambda_min=51="
        "lambda+n/(k1 d), k1=4); actions phi=+1,-1, uniform pi0; eta=1/100, B=1/20, beta0=6, "
        "c=1/2; flip one label"
    )
    return Crossing(loss, bound.delta, words, bound.epsilon, pair)


# --- general statements: two outcomes, exact fractions ------------------------------------------


@precisely
def lemma1_partition_at_one_data_set(gap: int = 10) -> Crossing:
    """Hypothesis at D only: arm 1 is safe and never moves, arm 0 is unlikely at D, likely at D'."""
    eta = 1
    before, after = policy([-gap, 0], eta), policy([gap, 0], eta)
    bound = theory.lemma1_partition(ball(0), ball(eta), before[0])
    words = (
        "two actions, uniform pi0, eta=1: scores (-10, 0) at D and (10, 0) at its neighbour; "
        "I={action 1}, Delta=0, delta0=pi(action 0; D)"
    )
    loss = delta_at(before, after, bound.epsilon)
    return Crossing(loss, bound.delta, words, bound.epsilon, (before, after))


@precisely
def composition_with_k(times: int = 1000, k: int = 1) -> Crossing:
    """k read as a constant, not as T: an outcome that only one neighbour can give adds up."""
    rare, slack = F(1, 10000), F(1, 1000)
    allowed = k * rare + slack
    loss = 1 - (1 - rare) ** times
    words = (
        f"T={times} draws; the arm without records at D has probability 1/10000 at its neighbour "
        f"(scores equal, pi0=(9999/10000, 1/10000)); delta'=1/1000, k={k}: that arm is seen with "
        "probability 1-(1-1/10000)^T, whatever eps is"
    )
    return Crossing(ball(loss), ball(allowed), words)


@precisely
def inexact() -> Crossing:
    """pi~(D)=(d, 1-d), pi~(D')=(0, 1); the inexact policy doubles d: within eps^ = ln 2."""
    rare = F(1, 10)
    exact, other = [ball(rare), ball(1 - rare)], [arb(0), arb(1)]
    rough = [ball(2 * rare), ball(1 - 2 * rare)]
    epsilon = -ball(1 - rare).log()  # pi~ is (eps, 1/10)-private for this pair
    error = ball(2).log()
    within = not delta_at(exact, other, epsilon) > ball(rare)  # it is 1/10 exactly
    require_proof(within, "privacy of the exact policies")
    ratios = (rare / (2 * rare), (1 - rare) / (1 - 2 * rare))
    within = all(F(1, 2) <= ratio <= 2 for ratio in ratios)
    require_proof(within, "D_infinity of at most ln 2, both ways")
    bound = theory.inexact(theory.Bound(epsilon, ball(rare)), error)
    loss = delta_at(rough, other, bound.epsilon)
    words = (
        "two actions: exact policy (1/10, 9/10) at D and (0, 1) at its neighbour, where action 0 "
        "has no records; inexact policy (1/5, 4/5) at D, (0, 1) at the neighbour; eps^=ln 2"
    )
    return Crossing(loss, bound.delta, words, bound.epsilon, (rough, other))
