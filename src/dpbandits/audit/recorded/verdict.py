"""When a claim is refuted, and the words of the answer.

A program is accused in four ways only: by `at_least`, if the run is the same whenever it is
repeated; by the probabilities of all its outputs, if it draws few choices and no noise; by an
output that is always the same on one data set, before anything is noised, and another on its
neighbour; or by a lower bound from samples of a pair.
"""

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from dpbandits.audit.blackbox import CONFIDENCE
from dpbandits.audit.engine.outcomes import no_outcome, same
from dpbandits.audit.function import distinct, sampled
from dpbandits.audit.recorded.choices import Choices, Exact, short
from dpbandits.audit.recorded.replays import REPEATS, Pair, Replays, Runner
from dpbandits.audit.recorded.tape import Diverged, Endless
from dpbandits.core.mechanisms import ROUNDING, Answer

MOST_REPORTED = 8  # quantities
SUSPECTS, RUNS_EACH = 24, 200  # pairs that are sampled, and their runs; the best five get more
ADVICE = (
    "write value + generator.laplace(scale=b) in one expression, or noise.laplace(value, b); an "
    "answer that a coin decides as generator.bernoulli(p), p the probability of this answer"
)
UNSEEN = (
    "other values, sizes and neighbours, the bits of floats, time and memory were not looked at"
)
CODE = "audit: the audited code"


@dataclass(frozen=True)
class RecordedAudit(Answer):
    """epsilon: of the noised quantities together, at most; at_least: attained by the output.
    refuted: whether the claim is; within: whether it holds for what was tried."""

    epsilon: float
    at_least: float
    rho: float
    delta: float  # at the claimed epsilon, at most
    quantity: str  # that loses most
    moved: list[dict]  # the quantities that moved
    above_declared: list[str]  # quantities that move by more than the sensitivity they declare
    data: list
    neighbour: list
    finding: str
    pairs: int
    runs: int
    covered: str
    not_covered: str
    unseen: list[str]  # random numbers that no quantity has
    alone: list[str]  # noise whose value never moved
    sampled: float | None  # a lower bound from samples, at confidence 1 - 10^-6; None: not needed
    within: bool
    refuted: bool
    verdict: str


def judged(replays: Replays, covered: str, samples: int = 0) -> RecordedAudit:
    """What the replays say of the claim; samples: runs of each data set of the pair that is
    suspected most."""
    if replays.runner.silent and not replays.endless:
        raise no_outcome("None", CODE)
    worst, claim, trusted = replays.worst, replays.claim, replays.program.trusted
    parts = sorted(worst.parts, key=lambda part: -part.epsilon)
    epsilon, delta, at_least = worst.epsilon, worst.delta(claim.epsilon), replays.at_least
    alone = [] if trusted else sorted(replays.released - replays.moved)
    unseen = sorted(replays.runner.unseen)

    def meets() -> bool:
        return epsilon <= claim.epsilon * ROUNDING or delta <= claim.delta * ROUNDING

    within, exact = meets() and (trusted or not (alone or unseen)), None
    if not (within or replays.proof or unseen or replays.endless):
        with suppress(OverflowError, Diverged):  # where not all ways can be run
            exact = Choices(replays.runner).worst(replays.tried, claim)
    if exact:
        epsilon, delta, *_ = exact
        at_least, worst = epsilon, Pair(exact.data, exact.neighbour)
        within = meets()
    accused, why, bound = "", "", None
    if within:
        beside = f"; if the data do not meet what it draws beside noise: {', '.join(unseen)}"
        verdict = f"within {claim}, for {covered}{beside if unseen else ''}"
    else:
        accused, why, bound = _accused(replays, exact, alone, unseen, samples)
        verdict = f"not {claim}: {accused}" if accused else f"not shown to be {claim}: {why}"
    keys = ("name", "law", "movement", "scale", "epsilon", "rho")
    moved = [{key: getattr(part, key) for key in keys} for part in parts[:MOST_REPORTED]]
    return RecordedAudit(
        epsilon, at_least, worst.rho, delta, parts[0].name if parts else "", moved,
        sorted(replays.above.values()), worst.data, worst.neighbour, worst.finding, replays.pairs,
        replays.runner.runs, covered, UNSEEN, unseen, alone, bound,
        within, bool(accused), verdict,
    )  # fmt: skip


def _accused(
    replays: Replays, exact: Exact | None, alone, unseen, samples: int
) -> tuple[str, str, float | None]:
    """(what refutes the claim, or why it is not shown; the other is ""; a bound from samples)."""
    claim, worst, proof = replays.claim, replays.worst, replays.proof
    if exact:
        lost = f"loses exactly {exact.epsilon:.6g}"
        lost = lost if exact.epsilon < math.inf else "is possible on one data set only"
        return f"the output {exact.output} {lost}", "", None
    found = worst if worst.finding and not unseen and not replays.endless else None
    doubtful = proof or found
    runner, repeats = replays.runner, claim.repeats
    stable = doubtful is None or (claim.affordable and _stable(runner, doubtful, repeats))
    if proof and stable:
        lost = f"its output loses at least {proof.at_least:.6g}"
        if claim.delta > 0:
            lost = f"its delta is at least {proof.delta(claim.epsilon):.3g}"
        return proof.finding or lost, "", None
    if claim.delta == 0 and claim.affordable:
        for pair in [p for p in replays.suspects if p.finding][:SUSPECTS]:
            if certain := _certain(runner, pair, repeats):
                return f"its output is {certain}", "", None
    why, bound = _why(replays, stable, alone, unseen), None
    if samples and 0 not in replays.endless:
        bound, event = _sampled(replays, samples)
        if bound > claim.epsilon:
            most = f"with confidence {CONFIDENCE:.6f} it loses at least {bound:.4g}"
            return f"{most} ({event}); {why}", "", bound
    return "", why, bound


def _stable(runner: Runner, pair: Pair, repeats: int) -> bool:
    """Whether the runs that accuse are the same when they are repeated, with new random numbers
    beside the noise: else there is a generator that was not seen."""
    recorded = runner.run(pair.data, pair.noise)[0].events
    for data in (pair.data, pair.neighbour):
        first = None
        for again in range(repeats):
            try:
                tape, output = runner.run(data, pair.noise, again, recorded=recorded)
                events = tape.events
            except Diverged as why:
                events, output = [], str(why)
            found = [(e.value.tolist(), e.scale.tolist()) for e in events], output
            if first is not None and not same(found, first):
                return False
            first = found
    return True


def _certain(runner: Runner, pair: Pair, repeats: int) -> str:
    """What is always so on one data set before anything is noised, and not on the other."""
    for data, other in ((pair.data, pair.neighbour), (pair.neighbour, pair.data)):
        n, seen, differs = None, None, 0
        for again in range(repeats):
            n, output = _before_noise(runner, data, pair, again, n)
            if n == 0 or (seen is not None and not same(output, seen)):
                break
            seen = output
        else:
            for again in range(REPEATS):
                _, output = _before_noise(runner, other, pair, again, n)
                differs += not same(output, seen)
            if differs > REPEATS / 2:
                seen = seen[0] if len(seen) == 1 else seen
                return f"always {short(seen)} on one data set, another on its neighbour"
    return ""


def _before_noise(runner: Runner, data, pair: Pair, again, n=None):
    """(how much of the output comes before any noise, and that part of it); n: how much."""
    try:
        tape, _ = runner.run(data, (repr(data), 0), 1 + again)
    except Endless:
        return 0, []
    if n is None:
        n = tape.events[0].decided if tape.events else len(tape.decisions)
        n = 0 if tape.unseen else n
    return n, runner.program.seen(tape.decisions[:n], pair.place)


def _why(replays: Replays, stable: bool, alone, unseen) -> str:
    """Why the claim is not shown, and how to write the code so that it can be."""
    worst, claim = replays.worst, replays.claim
    if not stable and not claim.affordable:
        return f"{claim.repeats:.3g} runs would have to show that no generator is hidden"
    if not stable:
        return (
            "a run differs when it is repeated on the same data, so not all its random numbers "
            f"come from the generator that it is given; {ADVICE}"
        )
    hidden = [*unseen, *(f"noise alone ({name})" for name in alone)]
    hides = f"data may meet what is drawn without them: {', '.join(hidden)}; {ADVICE}"
    if worst.finding:
        return worst.finding + (f"; {hides}" if hidden else "")
    if hidden:
        return hides
    lost = f"{worst.epsilon:.6g}" if claim.delta == 0 else f"delta {worst.delta(claim.epsilon):.3g}"
    return f"what it noises loses up to {lost} if all of it is published; its output may show less"


def _sampled(replays: Replays, samples: int) -> tuple[float, str]:
    """(a lower bound on the loss of one pair, its event): suspects are sampled with few runs, the
    best with more, and the very best measured with new ones."""
    suspects = [(p.data, p.neighbour) for p in replays.suspects]
    pairs = distinct(suspects or (pair[:2] for pair in replays.tried))
    claim, run = replays.claim, replays.program.run

    def measured(pairs, runs, part, confidence):
        return sampled(run, pairs, runs, CODE, replays.seed, part, claim.delta, confidence)

    chosen = np.linspace(0, len(pairs) - 1, min(len(pairs), SUSPECTS)).astype(int)
    few = [pairs[i] for i in chosen]
    for runs, most in ((RUNS_EACH, 5), (5 * RUNS_EACH, 1)):
        few = [pair for _, *pair in measured(few, runs, f"search {runs}", 0.9)[:most]]
    for runs in (max(2, samples // 10), samples):
        half = 1 - (1 - CONFIDENCE) / 2  # each of the two measurements may err half as often
        ((found, data, neighbour),) = measured(few, runs, f"measure {runs}", half)
        if found.epsilon > claim.epsilon:
            break
    return found.epsilon, f"{found.event} for {short(data)} and {short(neighbour)}"
