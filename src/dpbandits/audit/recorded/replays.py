"""Run a program on data sets, replay it on their neighbours, and keep what was found.

Each data set is run with several transcripts of noise, most of them ten times as large or of one
sign, so that unlikely ways are seen, too. What a replay adds up is the loss of the noised
quantities: an upper bound (`epsilon`) on that of anything computed from them on these ways.
`at_least` is attained by the output: it counts a run only if the output shows all that it noised.
An output that the replay does not reproduce is a finding: data reach it without noise, or by noise
that was not seen together with them.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from dpbandits.audit.engine.outcomes import checked
from dpbandits.audit.function import copied
from dpbandits.audit.recorded.choices import short
from dpbandits.audit.recorded.losses import Loss, losses
from dpbandits.audit.recorded.program import Program
from dpbandits.audit.recorded.shown import shows
from dpbandits.audit.recorded.tape import DRAWN, Diverged, Endless, Tape
from dpbandits.core.errors import InputError, said
from dpbandits.core.mechanisms import ROUNDING, delta_of_pure
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.streams import key_of
from dpbandits.core.zcdp import delta_of

TRANSCRIPTS = ((1, 0), (10, 0), (10, 1), (10, -1))  # (times the noise, its sign), in turn
MOST_PAIRS = 3000  # that are kept
MOST_HIDDEN = 200  # runs whose output does not show what they noised; no more are asked
REPEATS, MOST_REPEATS = 200, 10**6  # at least, at most; see `Claim.repeats`


@dataclass(frozen=True)
class Claim:
    epsilon: float
    delta: float = 0.0

    def __str__(self) -> str:
        return f"({self.epsilon:g}, {self.delta:g})-DP"

    @property
    def repeats(self) -> int:
        """How often a run is repeated before it accuses. If one data set gives with probability 1/3
        at least what the other gives with p, a claim is refuted where p e^epsilon < 1/3; with
        more than that p, all of 42 e^epsilon runs miss it with probability 1e-6."""
        return max(REPEATS, math.ceil(42 * math.exp(min(self.epsilon, 100.0))))

    @property
    def affordable(self) -> bool:
        return self.repeats <= MOST_REPEATS


@dataclass
class Runner:
    """Runs a program with recorded noise."""

    program: Program
    seed: int
    unseen: set = field(default_factory=set)  # draws beside the noise
    silent: bool = True  # as long as no run returned anything
    runs: int = 0  # without those whose outcomes are forced

    def run(self, data, noise: tuple[str, int], again=0, **tape):
        """(tape, output); noise: the data set that is replayed, and its transcript: all its replays
        have the same noise. again: other random numbers beside it."""
        base, transcript = noise
        self.runs += "forced" not in tape
        about = self.seed, transcript, base, again
        noise, other = (_generator(part, *about) for part in ("noise", "other"))
        tape = Tape(noise, *TRANSCRIPTS[transcript % len(TRANSCRIPTS)], **tape)
        try:
            output = self.program.run(copied(data), other, tape)
        finally:
            self.unseen |= tape.unseen
        found = checked(output, "audit: the audited code")
        self.silent = self.silent and all(leaf is None for _, leaf in found)
        return tape, output


def _generator(part: str, *about) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key_of("audit recorded", part, *about)))


@dataclass(frozen=True)
class Pair:
    """What a replay found."""

    data: list
    neighbour: list
    place: int | None = None  # where they differ
    noise: tuple[str, int] = ("", 0)  # see `Runner.run`
    parts: tuple[Loss, ...] = ()
    finding: str = ""
    refutes: float = 0.0  # all claims with a delta below this, by the finding, if it is shown
    shown: bool = False  # whether the output shows what was noised

    @property
    def epsilon(self) -> float:
        if self.finding:
            return math.inf
        return max(  # an outcome that is likelier on D may make up for one that is less likely
            math.fsum(x.ratios[i] if x.law in DRAWN else x.epsilon for x in self.parts)
            for i in (0, 1)
        )

    @property
    def at_least(self) -> float:
        """Of what was noised, the largest ratio up to one quantity, those before as recorded; it is
        attained by the output if that shows them."""
        if self.finding:
            return math.inf if self.refutes else 0.0
        before, found = 0.0, 0.0
        for part in self.parts:
            found = max(found, before + part.ratios[0], part.ratios[1] - before)
            before += part.realized
            if math.isinf(before):
                break
        return max(found, abs(before))

    @property
    def rho(self) -> float:
        return math.inf if self.finding else math.fsum(part.rho for part in self.parts)

    @property
    def one_gaussian(self) -> bool:  # then delta is exact
        return [part.law for part in self.parts] == ["gaussian"]

    @property
    def rank(self):
        return (bool(self.finding and self.shown), bool(self.finding), self.epsilon, self.rho)

    def delta(self, epsilon: float) -> float:
        """An upper bound on delta; exact where all noise is Gaussian."""
        if self.epsilon <= epsilon * ROUNDING:
            return 0.0
        if self.rho == math.inf:
            return 1.0
        if all(part.law == "gaussian" for part in self.parts):
            return gaussian_delta(math.sqrt(2 * self.rho), epsilon)
        whole = delta_of_pure(self.epsilon, epsilon) if self.epsilon < math.inf else 1.0
        return min(whole, delta_of(self.rho, epsilon))

    def contradicts(self, claim: Claim) -> bool:
        if not self.shown:
            return False
        if self.finding:
            return claim.delta < self.refutes
        if self.one_gaussian and claim.delta > 0:
            return self.delta(claim.epsilon) > claim.delta * ROUNDING
        return claim.delta == 0 and self.at_least > claim.epsilon * ROUNDING


@dataclass
class Replays:
    """Runs and replays of a program, and what they found."""

    program: Program
    transcripts: int
    seed: int
    claim: Claim
    pairs: int = 0
    at_least: float = 0.0
    worst: Pair | None = None
    proof: Pair | None = None  # the pair that contradicts the claim most
    above: dict[str, str] = field(default_factory=dict)  # by more than it declares it moves
    released: set = field(default_factory=set)  # names of quantities
    moved: set = field(default_factory=set)
    hidden: int = 0  # runs whose output did not show what they noised
    endless: set = field(default_factory=set)  # transcripts in which a run did not stop
    tried: list = field(default_factory=list)  # (data, neighbour, place)
    suspects: list[Pair] = field(default_factory=list)

    def __post_init__(self):
        self.runner = Runner(self.program, self.seed)

    def try_all(self, data: list, neighbours: Iterable[tuple[list, int | None]]) -> float:
        """The largest loss of the pairs, over all transcripts."""
        neighbours, base, largest = list(neighbours), repr(data), 0.0
        for transcript in sorted(set(range(self.transcripts)) - self.endless):
            noise = base, transcript
            try:
                tape, output = self.runner.run(data, noise)
            except Endless as why:
                self.endless.add(transcript)
                self._keep(Pair(data, data, finding=str(why)))
                continue
            recorded = tape.events
            released = (event for event in recorded if event.kind == "release" and event.escaped)
            self.released.update(event.name for event in released)
            for neighbour, place in neighbours:
                pair = self._replayed(Pair(data, neighbour, place, noise), recorded, output)
                self.at_least = max(self.at_least, pair.at_least if pair.shown else 0.0)
                largest = max(largest, self._keep(pair))
        self.pairs += len(neighbours)
        if len(self.tried) < MOST_PAIRS:
            self.tried += [(data, neighbour, place) for neighbour, place in neighbours]
        return largest

    def _replayed(self, pair: Pair, recorded, output) -> Pair:
        try:
            tape, other = self.runner.run(pair.neighbour, pair.noise, recorded=recorded)
            pair = replace(pair, parts=tuple(losses(recorded, tape.events)))
            self.moved.update(part.name for part in pair.parts)
            if not self.program.same(output, other, pair.place):
                text = f"the output {short(output)} becomes {short(other)} although all noised "
                return replace(pair, finding=text + "quantities are the same")
        except Diverged as why:
            text = f"with the same noised quantities, {why}"
            pair = replace(pair, finding=text, refutes=why.refutes)
        except InputError:
            raise
        except Exception as error:
            return replace(pair, finding=f"the replay raised {said(error)}")
        matters = pair.at_least > self.at_least or pair.refutes
        if pair.one_gaussian:
            matters = matters or self.worst is None or pair.rho > self.worst.rho
        return replace(pair, shown=bool(matters and self._shows(pair, recorded)))

    def _shows(self, pair: Pair, recorded) -> bool:
        found = self.hidden < MOST_HIDDEN and shows(self.runner, pair, recorded)
        self.hidden += not found
        return found

    def _keep(self, pair: Pair) -> float:
        for part in pair.parts:
            if part.declared is not None and part.entry > part.declared * ROUNDING:
                moves = f"moves by {part.entry:.6g}, declared: {part.declared:.6g}"
                self.above[part.name] = f"{part.name} {moves}"
        if self.worst is None or pair.rank > self.worst.rank:
            self.worst = pair
        if pair.contradicts(self.claim):
            if self.proof is None or pair.at_least > self.proof.at_least:
                self.proof = pair
        elif pair.epsilon > self.claim.epsilon * ROUNDING and len(self.suspects) < MOST_PAIRS:
            self.suspects.append(pair)
        return pair.epsilon if pair.epsilon < math.inf else min(1e9, pair.rho) + 1e3
