"""The four answers: refuted, suspected, no leak seen, not judged.

Refuted is what samples of the unmodified program show at confidence 1 - 1e-6, what all ways of a
few choices show exactly, or what derivatives do. Everything else that is not accounted for by the
noise is suspected, or not judged.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpbandits.audit.replayed.align import Loss
from dpbandits.audit.replayed.exact import Enumeration, TooMany, by_derivatives
from dpbandits.audit.replayed.pairs import NOTHING, Pair, Replays, short
from dpbandits.audit.replayed.tape import Diverged
from dpbandits.audit.sampled.blackbox import CONFIDENCE, measured
from dpbandits.audit.sampled.outcomes import distinct
from dpbandits.audit.sampled.processes import raised
from dpbandits.core.mechanisms import ROUNDING, Answer

SECONDS = 3.0  # for the samples of one data set, if they check a suspicion
SLOW = 0.01  # of a program whose runs take longer, one pair is sampled
SUSPECTS, PILOT = 12, 300  # pairs that are sampled first, and their runs
MOST_DIFFERENTIATED = 200  # pairs
ENOUGH = 100  # pairs in which data would have met noise that is drawn alone, if they do
UNSEEN = (
    "not compared: other values, sizes and neighbours; files, module state, time, memory, bits of "
    "floats"
)
ADVICE = (
    "write value + generator.laplace(scale=b) before float(), int() or round(); an answer that a "
    "coin decides as generator.bernoulli(p), p the probability of this answer"
)
HEADS = {
    "refuted": "not {}",
    "suspected": "suspected: not {}",
    "no leak seen": "no leak seen for {}",
    "not judged": "not judged whether it is {}",
}


@dataclass(frozen=True)
class RecordedAudit(Answer):
    """What an audit of running code says of a claim."""

    answer: str
    refuted: bool
    suspected: bool
    within: bool  # no leak seen
    verdict: str
    epsilon: float  # of all that is noised, at most, on the ways that were met
    delta: float  # at the claimed epsilon
    rho: float  # of zCDP
    data: list
    neighbour: list
    finding: str
    line: str
    movement: float
    above_declared: str  # what moves by more than the noise port was told
    pairs: int
    covered: str
    not_covered: str
    at_least: float | None  # from samples, with confidence 1 - 1e-6

    @property
    def pair(self):
        return self.data, self.neighbour


@dataclass
class Judge:
    replays: Replays
    covered: str
    runs: int  # of each data set, that check a suspicion; 0: none
    pairs: list[Pair]  # that may be sampled if there was no replay
    recorded: bool = True  # else samples alone speak
    at_least: float | None = None

    def __post_init__(self):
        r = self.replays
        found = sorted(r.found, key=lambda p: p.rank(r.claim), reverse=True)
        self.found = found or self.pairs
        self.suspects = [p for p in found if r.claim.broken_by(p.loss)]
        self.worst = found[0] if found else None
        self.unseen = [] if r.program.trusted else sorted(r.unseen)
        alone = {line for i, line in r.released if i not in r.moved}
        known = r.program.trusted or (not self.suspects and r.pairs >= ENOUGH)
        self.alone = [] if known else sorted(alone)
        self.doubt = r.doubt or ("it returns None" if r.always == NOTHING else "")
        self.direct = []  # (pair, its loss by derivatives)

    def answer(self) -> RecordedAudit:
        for step in (self.enumerated, self.quiet, self.cleared, self.sampled, self.derived):
            if found := step():
                return found
        return self.undecided()

    def enumerated(self):
        r, claim = self.replays, self.replays.claim
        if not (r.drawn and self.suspects) or self.doubt or self.unseen:
            return None
        ways = Enumeration(r)
        try:
            over, ratio, output, pair = ways.worst(self.suspects)
            if not ways.agrees(pair):
                self.doubt = "new processes have other outputs than the recorded runs"
                return None
            if over <= claim.delta * ROUNDING:
                return self.said("no leak seen", pair, "all ways were enumerated")
        except (TooMany, Diverged):
            return None
        lost = f"loses exactly {ratio:.6g}"
        lost = lost if ratio < math.inf else "is possible on one data set only"
        return self.said("refuted", pair, f"the output {output} {lost}")

    def quiet(self):
        r = self.replays
        if error := raised(r.always or []):
            text = f"in every run it raised {error}: {short(r.always[3][1])}"
            return self.said("not judged", None, f"{text} (data is a list of records)")
        if self.suspects or self.doubt or self.unseen or self.alone:
            return None
        if not (r.moved or r.blind):
            text = "nothing moved, so nothing was tested: try more rounds or records, or others"
            return self.said("not judged", self.worst, text)
        if not self._reached():
            text = "nothing that it noises reaches the output, so nothing was tested"
            return self.said("not judged", self.worst, text)
        return self.said("no leak seen", self.worst)

    def _reached(self) -> bool:
        """Whether the output changes in some recorded run if some draw of noise is enormous."""
        data, r = self.worst.data, self.replays
        for noise in ((repr(data), transcript) for transcript in range(r.transcripts)):
            try:
                tape, shown = r.record(data, noise)
                last = len(tape.units) - 1
                few = distinct(
                    np.linspace(0, last, SUSPECTS).astype(int).tolist() if tape.units else []
                )
                shifts = ({i: size} for i in few for size in (1e6, -1e6))
                if not few or any(r.record(data, noise, shift=x)[1] != shown for x in shifts):
                    return True
            except (Diverged, RuntimeError):  # another way
                return True
        return False

    def cleared(self):
        """Only outputs of a single number; others can be convicted by derivatives, later."""
        if self.doubt or not self.suspects:
            return None
        few = self.suspects if len(self.suspects) <= MOST_DIFFERENTIATED else self.suspects[:5]
        clear, claim = few is self.suspects, self.replays.claim
        for pair in few:
            try:
                found = by_derivatives(self.replays, pair)
            except (Diverged, RuntimeError):
                return None
            if found is None:
                return None
            self.direct.append((pair, found[0]))
            clear = clear and found[1] and not claim.broken_by(found[0])
        return self.said("no leak seen", self.worst) if clear else None

    def sampled(self):
        candidates, claim = self.suspects or self.found, self.replays.claim
        if not (self.runs and candidates):
            return None
        pair, (bound, how) = self._measured(candidates)
        self.at_least = bound and bound.epsilon
        if not self.recorded:
            self.worst = pair = replace(pair, loss=Loss(why="its noise is not recorded"))
            self.doubt += f"; they show a loss of at least {self.at_least or 0:.3g} ({how})"
        if not bound or bound.epsilon <= claim.epsilon:
            return None
        lost = f"it loses at least {bound.epsilon:.4g} with confidence 1 - 1e-6"
        return self.said("refuted", pair, f"{lost}: {short(bound.event, 120)} ({how})")

    def derived(self):
        claim = self.replays.claim
        for pair, loss in self.direct:
            if claim.broken_by(loss) and (claim.delta == 0 or loss.exact):
                by = f"has delta {loss.delta(claim.epsilon):.3g} at epsilon {claim.epsilon:g}"
                by = by if claim.delta else f"loses {loss.epsilon:.6g}"
                text = f"its output determines the noise, and {by}"
                return self.said("refuted", replace(pair, loss=loss), text)
        return None

    def undecided(self) -> RecordedAudit:
        worst, found = self.worst, bool(self.suspects and self.worst.finding)
        lost = [*self.unseen, *(f"noise alone ({x})" for x in self.alone)]
        text = self.doubt
        if not text and lost and (found or not self.suspects):
            text = f"data may meet what is drawn without them: {', '.join(lost)}; {ADVICE}"
        elif not text and self.replays.blind and found:
            text = f"data meet outcomes that were drawn without them; {ADVICE}"
        if text:
            return self.said("not judged", worst, text)
        most = worst.loss.of_coins
        lost = f"what it draws loses up to {most:.4g}" if most else ""
        return self.said("suspected", worst, worst.finding or worst.loss.why or lost)

    def _measured(self, candidates: list[Pair]):
        """The pair that most looks like a leak, sampled."""
        r = self.replays
        few = list({repr((p.data, p.neighbour)): p for p in candidates}.values())
        r.pairs = r.pairs if self.recorded else len(few)
        if len(few) > SUSPECTS:
            spread = np.linspace(SUSPECTS // 2, len(few) - 1, SUSPECTS // 2).astype(int)
            few = few[: SUSPECTS // 2] + [few[i] for i in distinct(spread.tolist())]
        pair = max(few, key=self._pilot) if len(few) > 1 and r.seconds < SLOW else few[0]
        return pair, self._bound(pair, self.runs, SECONDS if self.recorded else math.inf)

    def _pilot(self, pair: Pair) -> float:
        runs = int(min(PILOT, max(60, 0.3 / max(self.replays.seconds, 1e-6))))
        bound, _ = self._bound(pair, runs, math.inf, 0.9)
        return bound.unclipped if bound else -math.inf

    def _bound(self, pair, runs, seconds, confidence=CONFIDENCE):
        r, p = self.replays, self.replays.program
        keys = {"delta": r.claim.delta, "confidence": confidence, "seconds": seconds}
        seed = r.seed + (confidence < CONFIDENCE)
        try:
            return measured(
                p.others(pair.place), p.function, (pair.data, pair.neighbour), runs, seed, **keys
            )
        except (RuntimeError, TypeError, ValueError):  # an outcome that has no form
            return None, ""

    def said(self, answer: str, pair: Pair | None, text: str = "") -> RecordedAudit:
        r, claim, pair = self.replays, self.replays.claim, pair or Pair([], [])
        loss = pair.loss
        head = HEADS[answer].format(claim)
        lines = [f"{head}: {text}" if text else head]
        if answer != "no leak seen" and repr(pair.data) != repr(pair.neighbour):
            lines.append(f"data {short(pair.data)}, neighbour {short(pair.neighbour)}: "
                         f"{pair.relation}")  # fmt: skip
        if answer in ("refuted", "suspected"):
            lines += self._about(pair, text)
        unseen = UNSEEN if self.recorded else UNSEEN.partition(";")[0]
        lines += [f"looked at {r.pairs} pairs: {self.covered}", unseen]
        kinds = (answer == x for x in ("refuted", "suspected", "no leak seen"))
        return RecordedAudit(
            answer, *kinds, "\n".join(lines), loss.epsilon, loss.delta(claim.epsilon), loss.rho,
            pair.data, pair.neighbour, pair.finding, loss.line, loss.movement, r.above_declared,
            r.pairs, self.covered, unseen, self.at_least,
        )  # fmt: skip

    def _about(self, pair: Pair, text: str) -> list[str]:
        """What moves, what would do, and whether it is about one relation alone."""
        loss, claim, lines = pair.loss, self.replays.claim, []
        if loss.line and not (loss.why and loss.why == text):
            moves = f"the value that {loss.line} adds noise to moves by {loss.movement:.6g}"
            scale = ""
            if 0 < loss.epsilon < math.inf and claim.epsilon and not claim.delta:
                scale = f"; noise {loss.epsilon / claim.epsilon:.3g} times as large would do"
            lines.append((loss.why or moves) + scale)
        equal = [p for p in self.replays.found if p.relation == "one record replaced"]
        if equal and not any(claim.broken_by(p.loss) for p in equal):
            public = "if the number of records is public, say neighbours=replace"
            lines.append(f"no leak seen where a record is replaced: {public}")
        return lines
