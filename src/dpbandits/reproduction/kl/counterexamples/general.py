"""Certified counterexamples to Lemma 1 and to Section 4.4 (counterexample.py)."""

from fractions import Fraction as F

from flint import arb

from dpbandits.audit.computed.balls import ball
from dpbandits.offline import theory
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl.counterexamples.counterexample import Counterexample, Step
from dpbandits.reproduction.kl.finite_laws import delta_at, policy
from dpbandits.reproduction.proofs import at_certificate_precision, require_proof


@at_certificate_precision
def lemma1_partition() -> Counterexample:
    """Hypothesis at D only: arm 1 is safe and never moves, arm 0 is unlikely at D, likely at D'."""
    before, after = policy([-10, 0], 1), policy([10, 0], 1)
    bound = corollaries.lemma1_partition(ball(0), ball(1), before[0])
    steps = (
        Step("Appendix A, weights of I", arb(1), arb(1)),
        Step("Appendix A, other weights", ball(10).exp(), ball(-10).exp()),
    )
    loss = delta_at(before, after, bound.epsilon)
    outside = (float(before[0].mid()), float(after[0].mid()))
    true = (corollaries.corrected_lemma1(0.0, *outside),)
    return Counterexample(loss, bound.delta, bound.epsilon, (before, after), steps, repaired=true)


@at_certificate_precision
def single_actions() -> Counterexample:
    """Each action is (0, 1/50)-close, the event of all of them is not."""
    share = ball(F(1, 50))
    p = [share] * 50 + [arb(0)] * 50
    q = p[::-1]
    step = Step("Appendix A, end", arb(1), share)
    true = (corollaries.corrected_lemma1(0.0, 1.0, 0.0),)  # I is empty
    loss = delta_at(p, q, 0)
    return Counterexample(loss, share, ball(0), (p, q), (step,), repaired=true)


@at_certificate_precision
def composition_with_k() -> Counterexample:
    """k read as the constant 1, not as T: an outcome that only one neighbour can give adds up."""
    rare, slack, times = F(1, 10000), F(1, 1000), 1000
    allowed, loss = ball(rare + slack), ball(1 - (1 - rare) ** times)
    step = Step("composition", loss, allowed)
    true = theory.Bound(0.0, float(times * rare + slack))
    return Counterexample(loss, allowed, steps=(step,), repaired=(true,))


@at_certificate_precision
def inexact() -> Counterexample:
    """pi~(D)=(d, 1-d), pi~(D')=(0, 1); the inexact policy doubles d: within eps^ = ln 2."""
    rare = F(1, 10)
    exact, other = [ball(rare), ball(1 - rare)], [arb(0), arb(1)]
    rough = [ball(2 * rare), ball(1 - 2 * rare)]
    epsilon = -ball(1 - rare).log()  # pi~ is (eps, 1/10)-private for this pair
    error = ball(2).log()
    require_proof(not delta_at(exact, other, epsilon) > ball(rare), "delta is 1/10 exactly")
    ratios = (rare / (2 * rare), (1 - rare) / (1 - 2 * rare))
    require_proof(max(max(x, 1 / x) for x in ratios) == 2, "both D_infinity <= ln 2")
    bound = corollaries.inexact(theory.Bound(epsilon, ball(rare)), error)
    steps = (
        Step("within the max divergence at D", ball(2 * rare), ball(2 * rare)),
        Step("the exact policy is private", ball(rare), ball(rare)),
        Step("delta through the exact policy", ball(2 * rare), ball(rare)),
    )
    loss = delta_at(rough, other, bound.epsilon)
    true = corollaries.corrected_inexact(
        theory.Bound(float(epsilon.mid()), float(rare)), float(error.mid())
    )
    return Counterexample(loss, bound.delta, bound.epsilon, (rough, other), steps, repaired=(true,))
