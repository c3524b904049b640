"""The grey-box audit: run a program on D, replay it on its neighbours, without samples.

    dpbandits audit --learner rnm-ftnl --set epsilon=1 horizon=6 variant=printed
    dpbandits audit --function noisy_max:winner --noise recorded --set data='[0,1,1]' epsilon=1

All data sets and neighbours of a small table are tried; for larger ones `core.attack` climbs to the
largest loss. Each data set is run with several transcripts of noise, most of them ten times as
large or of one sign, so that unlikely ways are seen, too. What `recorder` adds up is the loss of
the noised quantities: an upper bound (`epsilon`) on that of anything computed from them on these
ways. `at_least` is attained by the output: it counts a run only if the output shows all that the
run noised (`_shown`). An output that the replay does not reproduce is a finding: data reach it
without noise, or by noise that was not seen together with them.

A program is accused in four ways only: by `at_least`, if the run is the same whenever it is
repeated; by the probabilities of all its outputs, if it draws few choices and no noise; by an
output that is always the same on one data set, before anything is noised, and another on its
neighbour; or by a lower bound from samples of a pair.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, product
from typing import Any

import numpy as np
from pydantic import ConfigDict, Field
from scipy.special import ndtr

from dpbandits.audit.engine.outcomes import checked, leaves, no_outcome, same
from dpbandits.audit.function import (
    FunctionParams,
    Kinds,
    copied,
    distinct,
    load,
    neighbours_of,
    sampled,
)
from dpbandits.audit.recorder import (
    DRAWN,
    Diverged,
    Endless,
    Loss,
    NotedGenerator,
    RecordedGenerator,
    RecordedNoise,
    Tape,
    Unequal,
    chances,
    form,
    losses,
    plain,
)
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.attack import attack, share
from dpbandits.core.errors import InputError, said
from dpbandits.core.learner import DEFAULTS, Learner
from dpbandits.core.mechanisms import ROUNDING, Answer, delta_of_pure
from dpbandits.core.models import Model, parse
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import key_of
from dpbandits.core.zcdp import delta_of

TRANSCRIPTS = ((1, 0), (10, 0), (10, 1), (10, -1))  # (times the noise, its sign), in turn
MOST_PAIRS, SEARCHED, MOST_REPORTED = 3000, 2000, 8
MOST_CHOICES, MOST_PATHS = 40, 20_000  # of one run, of all: more are not enumerated
FORCED, MOST_HIDDEN = (-100, -10, -1, -0.1, 0.1, 1, 10, 100), 200  # see `_shown`
REPEATS, MOST_REPEATS = 200, 10**6  # at least, at most; see `repeats`
SUSPECTS = 24  # pairs that are sampled, with RUNS_EACH runs; the best four with five times as many
RUNS_EACH = 200
CONFIDENCE = 1 - 1e-6
ADVICE = (
    "write value + generator.laplace(scale=b) in one expression, or noise.laplace(value, b); an "
    "answer that a coin decides as generator.bernoulli(p), p the probability of this answer"
)
UNSEEN = (
    "other values, sizes and neighbours, the bits of floats, time and memory were not looked at"
)
Output = Any


@dataclass(frozen=True)
class Program:
    """`run(data, tape, rng, unseen)` gives its output, without a tape that of a usual run;
    `seen(output, place)` what is compared of runs whose data differ at `place`. trusted: what its
    generator draws beside the noise may be used after it."""

    run: Callable[[list, Tape | None, np.random.Generator, set], Output]
    seen: Callable[[Output, int | None], Output] = lambda output, place: output
    trusted: bool = False
    name: str = "audit"

    def same(self, first, second, place) -> bool:
        return same(self.seen(first, place), self.seen(second, place))


@dataclass(frozen=True)
class Pair:
    """What a replay found."""

    data: list
    neighbour: list
    place: int | None = None
    transcript: int = 0
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

    def delta(self, epsilon: float) -> float:
        """An upper bound on delta; exact where all noise is Gaussian."""
        if self.epsilon <= epsilon * ROUNDING:
            return 0.0
        if self.finding or self.rho == math.inf:
            return 1.0
        if all(part.law == "gaussian" for part in self.parts):
            mu = math.sqrt(math.fsum(part.mu2 for part in self.parts))
            return gaussian_delta(mu, epsilon)
        pure = self.epsilon
        whole = delta_of_pure(pure, epsilon) if pure < math.inf else 1.0
        return min(whole, delta_of(self.rho, epsilon))

    def contradicts(self, epsilon: float, delta: float) -> bool:
        if not self.shown:
            return False
        if self.finding:
            return delta < self.refutes
        gaussian = [part.law for part in self.parts] == ["gaussian"]  # then delta is exact
        if gaussian and delta > 0:
            return self.delta(epsilon) > delta * ROUNDING
        return delta == 0 and self.at_least > epsilon * ROUNDING


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


@dataclass
class Replays:
    """Runs a program and its replays, and keeps the worst pair."""

    program: Program
    transcripts: int
    seed: int
    epsilon: float  # claimed
    delta: float = 0.0
    samples: int = 0  # runs of each data set of the pair that is suspected most
    runs: int = 0
    pairs: int = 0
    worst: Pair | None = None
    proof: Pair | None = None
    above: dict[str, str] = field(default_factory=dict)
    unseen: set = field(default_factory=set)
    alone: set = field(default_factory=set)  # names of released quantities
    moved: set = field(default_factory=set)
    at_least: float = 0.0
    hidden: int = 0  # runs whose output did not show what they noised
    silent: bool = True  # as long as no run returned anything
    endless: set = field(default_factory=set)  # transcripts in which a run did not stop
    tried: list = field(default_factory=list)  # (data, neighbour, place)
    paths: int = 0  # runs of an enumeration
    base: tuple = (None, "")  # the data set that is replayed, and its repr
    suspects: list = field(default_factory=list)

    def try_all(self, data: list, neighbours: Iterable[tuple[list, int | None]]) -> float:
        """The largest loss of the pairs, over all transcripts."""
        neighbours, largest = list(neighbours), 0.0
        for transcript in sorted(set(range(self.transcripts)) - self.endless):
            try:
                recorded, output = self._run(data, data, transcript)
            except Endless as why:
                self.endless.add(transcript)
                self._keep(Pair(data, data, finding=str(why)))
                continue
            released = (event for event in recorded if event.kind == "release" and event.escaped)
            self.alone.update(event.name for event in released)
            for neighbour, place in neighbours:
                pair = self._replayed(data, neighbour, place, transcript, recorded, output)
                self.at_least = max(self.at_least, pair.at_least if pair.shown else 0.0)
                largest = max(largest, self._keep(pair))
        self.pairs += len(neighbours)
        if len(self.tried) < MOST_PAIRS:
            self.tried += [(data, neighbour, place) for neighbour, place in neighbours]
        return largest

    def _run(self, data, base, transcript, recorded=None, again=0):
        """(events, output) of a run; the noise is the same for the neighbours of a base."""
        self.runs += 1
        tape, output = self._taped(data, base, transcript, again, recorded=recorded)
        return tape.events, output

    def _taped(self, data, base, transcript, again=0, **tape):
        if self.base[0] is not base:  # repr of arrays is slow
            self.base = base, repr(base)
        about = self.seed, transcript, self.base[1], again
        noise, other = (_generator(part, *about) for part in ("noise", "other"))
        wild, sign = TRANSCRIPTS[transcript % len(TRANSCRIPTS)]
        tape = Tape(noise, wild, sign, **tape)
        output = plain(self.program.run(copied(data), tape, other, self.unseen))
        found = checked(output, "audit: the audited code")
        self.silent = self.silent and all(leaf is None for _, leaf in found)
        return tape, output

    def _replayed(self, data, neighbour, place, transcript, recorded, output) -> Pair:
        pair = Pair(data, neighbour, place, transcript)
        try:
            events, other = self._run(neighbour, data, transcript, recorded)
            parts = tuple(losses(recorded, events))
            self.moved.update(part.name for part in parts)
            pair = replace(pair, parts=parts)
        except Diverged as why:
            refutes = (1.0 if why.any_delta else 1e-300) if isinstance(why, Unequal) else 0.0
            text = f"with the same noised quantities, {why}"
            pair = replace(pair, finding=text, refutes=refutes)
        except InputError:
            raise
        except Exception as error:
            return replace(pair, finding=f"the replay raised {said(error)}")
        else:
            if not self.program.same(output, other, place):
                text = f"the output {_short(output)} becomes {_short(other)} although all noised "
                return replace(pair, finding=text + "quantities are the same")
        matters = pair.at_least > self.at_least or pair.refutes
        if not pair.finding and [part.law for part in pair.parts] == ["gaussian"]:
            matters = matters or self.worst is None or pair.rho > self.worst.rho
        return replace(pair, shown=bool(matters and self._shows(pair, recorded)))

    def _shows(self, pair: Pair, recorded) -> bool:
        """Whether the outputs on both data sets show all that the run noised, in the same way."""
        if self.hidden >= MOST_HIDDEN:
            return False
        try:
            first, second = (
                self._shown(x, pair, recorded) for x in (pair.data, pair.neighbour)
            )  # fmt: skip
        except Exception:  # of the program, with an outcome that was forced
            first = second = None
        shows = None not in (first, second) and first[1] == second[1] and all(
            len(a) == len(b) and self.program.same(a, b, pair.place)
            for a, b in zip(first[0], second[0], strict=True)
        )  # fmt: skip
        self.hidden += not shows
        return shows

    def _shown(self, data, pair: Pair, recorded):
        """What the output shows of the noised quantities: None, if not all of them, or (what
        follows each choice of each argmax or draw, the places of the released numbers).

        A choice is shown if each other choice leads to other decisions before anything more is
        noised. A released number is shown if it stands in the output, at one place and as it is,
        also if all released numbers are replaced by others, small and large, of both signs.
        """
        outcomes, follows, rng = [event.output for event in recorded], [], np.random.default_rng(0)
        for i, event in enumerate(recorded):
            if event.kind == "release":
                continue
            if event.count is not None or np.ndim(event.output):
                return None
            drawn = event.kind == "draw"
            choices = np.flatnonzero(drawn | np.isfinite(event.value)).tolist()
            after = [self._after(data, pair, [*outcomes[:i], c]) for c in choices]
            for a, b in combinations(after, 2):
                n = min(len(a), len(b))
                if self.program.same(a[:n], b[:n], pair.place):
                    return None
            follows += after
        places = None
        for factor in FORCED if any(event.kind == "release" for event in recorded) else ():
            forced = [
                factor * rng.uniform(1, 2, np.shape(x)) * (event.scale.max(initial=0.0) + abs(x))
                if event.kind == "release" else event.output
                for event in recorded for x in [event.value]
            ]  # fmt: skip
            most = len(forced) + 1
            tape, output = self._taped(data, pair.data, pair.transcript, forced=forced, most=most)
            if list(map(form, tape.events)) != list(map(form, recorded)):
                return None
            shown = [x for _, x in checked(output, "") if isinstance(x, int | float)]
            released = [event for event in tape.events if event.kind == "release"]
            numbers = [x for e in released for x in np.ravel(e.output + e.offset).tolist()]
            found = [i for x in numbers for i in [_place(x, shown)] if i is not None]
            if len(found) < len(numbers) or found != (places or found):
                return None
            places = found
        return follows, places

    def _after(self, data, pair: Pair, forced) -> list:
        """The output after these outcomes, as far as nothing more is noised."""
        most = 10 * len(forced) + 100
        tape, output = self._taped(data, pair.data, pair.transcript, forced=forced, most=most)
        decisions = tape.decisions if tape.decisions is not None else [output]
        more = tape.events[len(forced) :]
        return decisions[: more[0].emitted] if more else decisions

    def _keep(self, pair: Pair) -> float:
        for part in pair.parts:
            if part.declared is not None and part.entry > part.declared * ROUNDING:
                moves = f"moves by {part.entry:.6g}, declared: {part.declared:.6g}"
                self.above[part.name] = f"{part.name} {moves}"
        if self.worst is None or _rank(pair) > _rank(self.worst):
            self.worst = pair
        if pair.contradicts(self.epsilon, self.delta):
            if self.proof is None or pair.at_least > self.proof.at_least:
                self.proof = pair
        elif pair.epsilon > self.epsilon * ROUNDING and len(self.suspects) < MOST_PAIRS:
            self.suspects.append(pair)
        return pair.epsilon if pair.epsilon < math.inf else min(1e9, pair.rho) + 1e3

    def _enumerated(self) -> tuple | None:
        """(loss, delta at the claim, output, data, neighbour) of the worst pair, exactly, if few
        choices are all that is random."""
        laws, worst = {}, (-1.0, 0.0)
        try:
            for data, neighbour, place in self.tried if not self.unseen else ():
                for pair in ((data, neighbour), (neighbour, data)):
                    p, q = (self._law(x, place, laws) for x in pair)
                    worst = max(worst, (*self._excess(p, q), *pair, place), key=lambda x: x[:2])
            if len(worst) == 2 or self.endless:
                return None
            *_, data, neighbour, place = worst
            runs = self.paths
            if self.repeats > MOST_REPEATS:
                return None
            while self.paths < runs + self.repeats:  # a generator that is not seen gives others
                for x in (data, neighbour):
                    if self._law(x, place, {}) != laws[repr((x, place))]:
                        return None
        except (OverflowError, Diverged):
            return None
        return worst

    def _excess(self, p, q):
        ratios = {
            key: math.log(x / q[key][0]) if key in q else math.inf for key, (x, _) in p.items()
        }
        over = (x - math.exp(self.epsilon) * q.get(key, (0.0,))[0] for key, (x, _) in p.items())
        key = max(ratios, key=ratios.get)
        return ratios[key], math.fsum(max(0.0, x) for x in over), p[key][1]

    def _law(self, data, place, laws) -> dict:
        """{what is seen of an output: (its probability, in words)}."""
        if (known := repr((data, place))) in laws:
            return laws[known]
        law, ways = {}, [[]]
        while ways:
            forced, way, chance = ways.pop(), [], 1.0
            tape, output = self._taped(data, data, 0, forced=forced, most=MOST_CHOICES)
            self.paths += 1
            if self.paths > MOST_PATHS or self.unseen:
                raise OverflowError
            for event in tape.events:
                p = chances(event)
                if len(way) >= len(forced):
                    others = np.flatnonzero(p).tolist()
                    ways += [[*way, other] for other in others if other != event.output]
                chance *= p[event.output]
                way.append(event.output)
            key = repr(leaves(self.program.seen(output, place)))
            law[key] = law.get(key, (0.0,))[0] + chance, _short(output)
        laws[known] = law
        return law

    # What is more than a suspicion
    @property
    def repeats(self) -> float:
        """How often a run is repeated before it accuses. If one data set gives with probability 1/3
        at least what the other gives with p, a claim is refuted where p e^epsilon < 1/3; with
        more than that p, all of 42 e^epsilon runs miss it with probability 1e-6."""
        return max(REPEATS, math.ceil(42 * math.exp(min(self.epsilon, 100.0))))

    def _stable(self, pair: Pair) -> bool:
        """Whether the runs that accuse are the same when they are repeated, with new random
        numbers beside the noise: else there is a generator that was not seen."""
        if self.repeats > MOST_REPEATS:
            return False
        recorded, _ = self._run(pair.data, pair.data, pair.transcript)
        for data in (pair.data, pair.neighbour):
            first = None
            for again in range(self.repeats):
                try:
                    events, output = self._run(data, pair.data, pair.transcript, recorded, again)
                except Diverged as why:
                    events, output = [], str(why)
                found = [(e.value.tolist(), e.scale.tolist()) for e in events], output
                if first is not None and not same(found, first):
                    return False
                first = found
        return True

    def _certain(self, pair: Pair) -> str:
        """What is always so on one data set before anything is noised, and not on the other."""
        for data, other in ((pair.data, pair.neighbour), (pair.neighbour, pair.data)):
            n, seen, differs = None, None, 0
            for again in range(self.repeats):
                n, output = self._before_noise(data, pair, again, n)
                if n == 0 or (seen is not None and not same(output, seen)):
                    break
                seen = output
            else:
                for again in range(REPEATS):
                    _, output = self._before_noise(other, pair, again, n)
                    differs += not same(output, seen)
                if differs > REPEATS / 2:
                    seen = seen[0] if len(seen) == 1 else seen
                    return f"always {_short(seen)} on one data set, another on its neighbour"
        return ""

    def _before_noise(self, data, pair: Pair, again, n=None):
        """(how much of the output comes before any noise, and that part of it); n: how much."""
        unseen, self.unseen = self.unseen, set()
        try:
            tape, output = self._taped(data, data, 0, 1 + again)
            clean = not self.unseen
        except Endless:
            return 0, []
        finally:
            self.unseen = unseen | self.unseen
        decisions = tape.decisions if tape.decisions is not None else [output]
        if n is None:
            n = (tape.events[0].emitted if tape.events else len(decisions)) if clean else 0
        return n, self.program.seen(decisions[:n], pair.place)

    def _sampled(self) -> tuple[float, str]:
        """(a lower bound on the loss of one pair, its event), from samples of suspects."""
        suspects = [(p.data, p.neighbour, p.place) for p in self.suspects] or self.tried
        places = {repr((a, b)): place for a, b, place in suspects}
        pairs = distinct((a, b) for a, b, _ in suspects)
        program, name = self.program, "audit: the audited code"

        def drawn(pairs, runs, part, confidence):
            found = []
            for pair in pairs:
                place = places.get(repr(pair))

                def run(data, rng, place=place):
                    return program.seen(plain(program.run(data, None, rng, set())), place)

                keys = self.seed, part, self.delta, confidence
                found.append(sampled(run, [pair], runs, name, *keys))
            return sorted(found, key=lambda x: -x[0].unclipped)

        few = [
            pairs[i] for i in np.linspace(0, len(pairs) - 1, min(len(pairs), SUSPECTS)).astype(int)
        ]
        for runs, most, confidence in ((RUNS_EACH, 5, 0.9), (5 * RUNS_EACH, 1, 0.9)):
            few = [pair[1:] for pair in drawn(few, runs, f"search {runs}", confidence)[:most]]
        for runs in (max(2, self.samples // 10), self.samples):
            found, data, neighbour = drawn(few, runs, f"measure {runs}", 1 - (1 - CONFIDENCE) / 2)[
                0
            ]
            if found.epsilon > self.epsilon:
                break
        return found.epsilon, f"{found.event} for {_short(data)} and {_short(neighbour)}"

    def result(self, covered: str) -> RecordedAudit:
        if self.silent and not self.endless:
            raise no_outcome("None", "audit: the audited code")
        worst, claimed, delta = self.worst, self.epsilon, self.delta
        parts = sorted(worst.parts, key=lambda part: -part.epsilon)
        at = worst.delta(claimed)
        alone = sorted(self.alone - self.moved) if not self.program.trusted else []
        unseen = sorted(self.unseen)
        met = bool(alone or unseen) and not self.program.trusted
        within = (worst.epsilon <= claimed * ROUNDING or at <= delta * ROUNDING) and not met
        exact, epsilon = None if within or self.proof else self._enumerated(), worst.epsilon
        if exact:
            epsilon, at = exact[:2]
            self.at_least = epsilon
            worst = Pair(exact[3], exact[4])
            within = epsilon <= claimed * ROUNDING or at <= delta * ROUNDING
        refuted, verdict, bound = self._verdict(within, covered, alone, unseen, exact)
        return RecordedAudit(
            epsilon, self.at_least, worst.rho, at, parts[0].name if parts else "",
            [_described(part) for part in parts[:MOST_REPORTED]],
            sorted(self.above.values()), worst.data, worst.neighbour, worst.finding, self.pairs,
            self.runs, covered, UNSEEN, unseen, alone, bound,
            within, refuted, verdict,
        )  # fmt: skip

    def _verdict(self, within, covered, alone, unseen, exact) -> tuple[bool, str, float | None]:
        """Whether the claim is refuted, in words, and the lower bound of samples."""
        claim = f"({self.epsilon:g}, {self.delta:g})-DP"
        if within:
            beside = f"; if the data do not meet what it draws beside noise: {', '.join(unseen)}"
            return False, f"within {claim}, for {covered}{beside if unseen else ''}", None
        if exact:
            lost = f"loses exactly {exact[0]:.6g}"
            lost = lost if exact[0] < math.inf else "is possible on one data set only"
            return True, f"not {claim}: the output {exact[2]} {lost}", None
        found = self.worst if self.worst.finding and not unseen and not self.endless else None
        doubtful = self.proof or found
        stable = doubtful is None or self._stable(doubtful)
        if self.proof is not None and stable:
            proof = self.proof
            if proof.finding:
                return True, f"not {claim}: {proof.finding}", None
            if self.delta > 0:
                at_least = f"{proof.delta(self.epsilon):.3g}"
                return True, f"not {claim}: its delta is at least {at_least}", None
            return True, f"not {claim}: its output loses at least {proof.at_least:.6g}", None
        if self.delta == 0 and self.repeats <= MOST_REPEATS:
            for pair in [p for p in self.suspects if p.finding][:SUSPECTS]:
                if certain := self._certain(pair):
                    return True, f"not {claim}: its output is {certain}", None
        why = self._why(stable, alone, unseen)
        bound = None
        if self.samples and 0 not in self.endless:
            bound, event = self._sampled()
            if bound > self.epsilon:
                most = f"with confidence {CONFIDENCE:.6f} it loses at least {bound:.4g}"
                return True, f"not {claim}: {most} ({event}); {why}", bound
        return False, f"not shown to be {claim}: {why}", bound

    def _why(self, stable: bool, alone, unseen) -> str:
        worst = self.worst
        if not stable and self.repeats > MOST_REPEATS:
            return f"{self.repeats:.3g} runs would have to show that no generator is hidden"
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
        delta = f"delta {worst.delta(self.epsilon):.3g}"
        lost = f"{worst.epsilon:.6g}" if self.delta == 0 else delta
        return (
            f"what it noises loses up to {lost} if all of it is published; its output may show less"
        )


def _generator(part: str, *about) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key_of("audit recorded", part, *about)))


def _rank(pair: Pair):
    return (bool(pair.finding and pair.shown), bool(pair.finding), pair.epsilon, pair.rho)


def _place(number: float, shown: list) -> int | None:
    """Where this number stands."""
    near = (i for i, x in enumerate(shown) if math.isclose(x, number, rel_tol=1e-12))
    return next(near, None)


def _short(value) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _described(part: Loss) -> dict:
    keys = ("name", "law", "movement", "scale", "epsilon", "rho")
    return {key: getattr(part, key) for key in keys}


# Functions of (data, generator)
class RecordedParams(FunctionParams):
    """What `dpbandits audit --function NAME --noise recorded` takes by --set."""

    data: list | None = Field(None, description="records, as JSON; left out: all data sets")
    records: int = Field(3, ge=1, le=1000, description="size of these data sets")
    values: list | None = Field(
        None, min_length=1, description="values of a record; left out: 0 and 1"
    )
    neighbours: Kinds = Field("replace", description="any of replace, remove, add, flip")
    runs: int = Field(20_000, ge=0, le=10**8, description="runs that check a suspicion; 0: none")
    transcripts: int = Field(4, ge=1, le=1000, description="recorded runs of each data set")
    tries: int = Field(SEARCHED, ge=4, le=10**6, description="pairs that a search tries")


def function_program(function: Callable) -> Program:
    def run(data, tape, rng, unseen):
        return function(data, rng if tape is None else RecordedGenerator(tape, rng, unseen))

    return Program(run)


def audit_recorded_function(function: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of `function(data, generator)`."""
    p, kinds = params, params.neighbours.split(",")
    replays = Replays(function_program(function), p.transcripts, p.seed, p.epsilon, p.delta, p.runs)
    with _named(f"audit --noise recorded: {getattr(function, '__name__', 'the function')}"):
        if p.data is None:
            return _all_or_search(replays, p, p.records, p.values or [0, 1], kinds, p.seed)
        if p.neighbour is not None:
            replays.try_all(p.data, [(p.neighbour, None)])
            return replays.result(f"the data and the neighbour, {p.transcripts} runs each")
        if p.values is None and not {repr(x) for x in p.data} <= {"0", "1"}:
            raise InputError("values: missing: give all that a record may be, e.g. [0, 1, 100]")
        values = p.values or [0, 1]
        replays.try_all(p.data, neighbours_of(p.data, values, kinds))
        return replays.result(f"the data and all neighbours by {_kinds_said(p, kinds, values)}")


def _kinds_said(p, kinds, values) -> str:
    return f"{', '.join(kinds)} with the values {_said_values(values)}, {p.transcripts} runs each"


def _said_values(values) -> str:
    return _short(", ".join(map(str, values)))


@contextmanager
def _named(code: str) -> Iterator[None]:
    """In this block what the code of others raises is wrong input, whose line names the code."""
    try:
        yield
    except InputError:
        raise
    except Diverged:
        raise InputError(
            f"{code} uses noise that an earlier run has left; start from nothing"
        ) from None
    except Exception as error:
        raise InputError(f"{code} raised {said(error)}") from error


def _all_or_search(replays, p, size, values, kinds, seed, decode=None) -> RecordedAudit:
    """Every data set of `size` of the values, if they are few; else a search. `decode(numbers)`
    makes a record of normal variables; by default one of the values."""
    values = values and distinct(values)
    how = (
        _kinds_said(p, kinds, values)
        if values
        else f"{', '.join(kinds)}, {p.transcripts} runs each"
    )
    if decode is None:
        sets = len(values) ** size
        if sets * size * max(1, len(values) - 1) <= MOST_PAIRS:
            for data in product(values, repeat=size):
                replays.try_all(list(data), neighbours_of(list(data), values, kinds))
            return replays.result(
                f"all {sets} data sets of {size} records and all neighbours by {how}"
            )
        decode = 1, lambda x: values[min(int(ndtr(x[0]) * len(values)), len(values) - 1)]
    width, record = decode

    def value(rows):
        return np.array([_try_row(replays, row, size, width, record, kinds) for row in rows])

    generator = np.random.default_rng(seed)
    columns = (size + 1) * width + 1
    attack(value, columns, p.tries, generator, parents=min(20, max(1, p.tries // 4)), children=5)
    return replays.result(
        f"{replays.pairs} pairs that a search over {size} records found, by {how}"
    )


def _try_row(replays, row, size, width, record, kinds) -> float:
    parts = row[1:].reshape(size + 1, width)
    *data, other = (record(part) for part in parts)
    place = min(int(ndtr(row[0]) * size), size - 1)
    kind = kinds[int(abs(row[0]) * 1e6) % len(kinds)]
    pairs = list(neighbours_of(data, [other], [kind]))
    chosen = [pair for pair in pairs if pair[1] in (place, size)] or pairs[:1]
    return replays.try_all(data, chosen) if chosen else 0.0


# Learners
class RecordedLearner(Model):
    """What `dpbandits audit --learner NAME` takes by --set, besides the keys of the learner."""

    model_config = ConfigDict(extra="allow", frozen=True)
    epsilon: float = Field(1.0, gt=0, description="epsilon of the learner")
    horizon: int = Field(6, ge=1, le=10_000, description="number of rounds")
    transcripts: int = Field(4, ge=1, le=1000, description="runs of each data set")
    claim: float | None = Field(None, gt=0, description="claimed epsilon; left out: the learner's")
    delay: int | None = Field(
        None, ge=0, description="of the service; left out: the algorithm alone, without a driver"
    )
    seed: int = Field(0, ge=0, description="seed of the noise and of the search")
    tries: int = Field(SEARCHED, ge=4, le=10**6, description="pairs that a search tries")


def learner_program(
    make: Callable, joint: bool = False, last=None, trusted=False, delay: int | None = None
) -> Program:
    """A learner's decisions, the last of them in the context `last`. With `joint` privacy the
    decision for the user whose record changes is not compared. With a delay the learner is behind
    the driver of a service, and a record ends with how many rounds later its reward comes (None:
    never)."""

    def run(data, tape, rng, unseen):
        if tape is None:
            learner, decisions = make(SimulatedNoise(rng), rng), []
        else:
            learner = make(RecordedNoise(tape), NotedGenerator(rng, unseen))
            decisions = tape.decisions = []
            tape.most = max(tape.most, 100 * len(data))
        context = getattr(learner, "takes_context", False)
        alone = len(inspect.signature(learner.update).parameters) == 1
        if delay is not None:
            service = DEFAULTS | {"name": "", "rewards": "clip", "delay": delay}
            learner, comes = Learner(learner, service | {"noise": "", "epsilon": 1.0}, None), {}
        read = getattr(learner, "read_context", lambda x: x)  # as the driver does
        for t, record in enumerate(data, start=1):
            parts = list(record) if context or delay is not None else [record]
            late = parts.pop() if delay is not None else None
            reward, *parts = parts.pop(), *map(read, parts)
            decisions.append(learner.act(*parts))
            if delay is None:
                reward = np.array(reward, float) if np.ndim(reward) else float(reward)
                learner.update(*(() if alone else decisions[-1:]), reward, *parts)
                continue
            if late is not None:
                comes.setdefault(t + int(late), []).append((t, reward))
            for ticket, reward in comes.pop(t, ()):
                learner.update(reward, ticket)
        decisions.append(learner.act(*([read(last)] if context else [])))
        return decisions

    def seen(decisions, place):
        return [x for i, x in enumerate(decisions) if not (joint and i == place)]

    return Program(run, seen, trusted)


def audit_learner_class(make: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of any learner: `make(epsilon, noise, rng)` starts one, with a noise port
    and a NumPy generator; it has `act()`, and `update(arm, reward)` or `update(reward)`; or it has
    `takes_context`, `act(context)` and `update(arm, reward, context)`, and a record is [context,
    reward]."""
    p = params
    program = learner_program(lambda noise, rng: make(epsilon=p.epsilon, noise=noise, rng=rng))
    replays = Replays(program, p.transcripts, p.seed, p.epsilon, p.delta, p.runs)
    with _named(f"audit --learner: {getattr(make, '__name__', 'the class')}"):
        return _all_or_search(replays, p, p.records, p.values or [0, 1], ["replace"], p.seed)


def audit_learner(name: str, keys: dict) -> RecordedAudit:
    """The grey-box audit of a registered learner, or of the class package.module:Class."""
    if ":" in name:
        params = parse(RecordedParams, keys, f"audit --learner {name}")
        return audit_learner_class(load(name, "--learner", (1.0, None, None)), params)
    entry = ALGORITHMS.get(name, "audit --learner")
    where = f"audit --learner {entry.name}"
    if entry.learner is None:
        with_port = [n for n, e in ALGORITHMS.all().items() if e.learner is not None and e.private]
        raise InputError(f"{where}: it has no noise port; allowed: {', '.join(sorted(with_port))}")
    p = parse(RecordedLearner, keys, where)
    options = dict(p.model_extra or {})
    cls = entry.learner
    if "arms" not in options and hasattr(cls, "full_information"):
        options["arms"] = 2
    if "horizon" in inspect.signature(cls.from_user).parameters:
        options["horizon"] = max(1, p.horizon - (p.delay or 0))  # as many rewards count
    arguments, setting = cls.from_user(entry.setting, **options)

    def make(noise, rng):
        return cls(**arguments, epsilon=p.epsilon, noise=noise, rng=rng)

    delta = entry.notion.delta
    if delta is None:
        delta = getattr(setting, "delta", 0.0) if entry.notion.name != "pure" else 0.0
    values, decode = records_of(cls, setting, arguments)
    last = decode and decode[1](np.zeros(decode[0]))[0]
    program = learner_program(make, entry.notion.joint, last, trusted=True, delay=p.delay)
    replays = Replays(program, p.transcripts, p.seed, p.claim or p.epsilon, delta)
    if p.delay is not None:
        values, decode = _with_arrivals(p.delay, values, decode)
    return _all_or_search(replays, p, p.horizon, values, ["replace"], p.seed, decode)


def _with_arrivals(delay: int, values, decode):
    """Records whose rewards come at once, just in time, too late or never: a neighbour by replace
    changes, delays or drops a reward."""
    lates = [0, delay, delay + 1, None] if delay else [0]
    if decode is None:
        return [(value, late) for value in values for late in lates], None
    width, record = decode
    late = lambda x: lates[min(int(ndtr(x) * len(lates)), len(lates) - 1)]  # noqa: E731
    return values, (width + 1, lambda x: (*record(x[1:]), late(x[0])))


def records_of(cls, setting, arguments):
    """(values of a record, or (), how to decode one from normal variables)."""
    if not getattr(cls, "takes_context", False):
        arms = arguments["K"]
        if getattr(cls, "full_information", False):
            return [list(x) for x in islice(product((0, 1), repeat=arms), 2**10)], None
        return [0, 1], None
    if hasattr(setting, "d"):  # sparse: contexts (arms x d), a reward
        shape = getattr(setting, "context_shape", (setting.arms, setting.d))
        size = math.prod(shape) + 1
        return (), (size, lambda x: (4 * x[1:].reshape(shape), float(10 * x[0])))
    dim, side, bound = setting.context_dim, setting.grid, setting.bound

    def point(x):  # a context at the centre of a cell, and a reward
        cells = np.minimum((ndtr(x[1:]) * side).astype(int), side - 1)
        return ((cells + 0.5) / side).tolist(), float(bound * (2 * share(x[0]) - 1))

    return (), (dim + 1, point)
