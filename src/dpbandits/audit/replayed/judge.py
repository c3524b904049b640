"""Pairs, replays, and the four answers: refuted, suspected, no leak seen, not judged."""

import contextlib
import importlib
import math
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from dpbandits.audit.replayed import fresh
from dpbandits.audit.replayed.align import Loss, align, cost
from dpbandits.audit.replayed.tape import Diverged, Tape
from dpbandits.audit.sampled.function import copied, distinct
from dpbandits.audit.sampled.outcomes import Size, leaves
from dpbandits.core.mechanisms import ROUNDING, Answer
from dpbandits.core.streams import key_of

NOTHING = [("/NoneType", None)]
REPEATS, SLOW = 8, 0.01  # of a program whose runs take longer, one pair is sampled
TRANSCRIPTS = ((1, 0), (10, 0), (10, 1), (10, -1))  # (times the noise, its sign), in turn
SUSPECTS, PILOT = 12, 300  # pairs that are sampled first, and their runs
MOST_PATHS = 3000
MOST_SHOWN, MOST_DRAWS = 200, 40  # pairs whose outputs are differentiated, by so many draws
UNSEEN = (
    "not looked at: other values, sizes and neighbours; print, logging, files, module state, time, "
    "memory, the bits of floats"
)
ADVICE = (
    "write value + generator.laplace(scale=b) before float(), int() or round(); an answer that a "
    "coin decides as generator.bernoulli(p), p the probability of this answer"
)
SIMPLE = "numbers, texts, and lists, dicts, arrays or dataclasses of these"


@dataclass(frozen=True)
class Claim:
    epsilon: float
    delta: float = 0.0

    def __str__(self) -> str:
        return f"({self.epsilon:g}, {self.delta:g})-DP"

    def broken_by(self, loss) -> bool:
        return loss.delta(self.epsilon) > self.delta * ROUNDING


@dataclass(frozen=True)
class Program:
    """run(function, data, generator) is a usual run, record(function, data, tape) a recorded one."""

    function: object
    run: object
    record: object
    joint: bool = False
    trusted: bool = False  # what its generator draws beside noise may be used after it

    def seen(self, output, place):
        return [x for i, x in enumerate(output) if i != place] if self.joint else output


@dataclass(frozen=True)
class Pair:
    data: list
    neighbour: list
    place: int | None
    loss: Loss = Loss()
    finding: str = ""

    def rank(self, claim):
        return (
            self.loss.delta(claim.epsilon),
            bool(self.finding),
            min(self.loss.epsilon, 1e9),
            self.loss.gaussian,
        )


@dataclass(frozen=True)
class RecordedAudit(Answer):
    refuted: bool
    suspected: bool
    within: bool  # no leak seen
    verdict: str
    epsilon: float
    delta: float
    data: list
    neighbour: list
    finding: str
    line: str
    movement: float
    pairs: int
    covered: str
    not_covered: str
    sampled: float | None

    @property
    def pair(self):
        return self.data, self.neighbour


@dataclass
class Auditor:
    program: Program
    claim: Claim
    seed: int = 0
    transcripts: int = 4
    pairs: int = 0
    found: list = field(default_factory=list)  # one for each pair, its worst
    moved: set = field(default_factory=set)
    released: set = field(default_factory=set)
    unseen: set = field(default_factory=set)
    blind: bool = False  # outcomes with which data meet unseen
    drawn: bool = True  # nothing but choices and coins is random
    alone_rounds: int = 0
    failed: str = ""  # the program does not run with recorded numbers
    hidden: str = ""  # random numbers that the recorder does not see
    forked: bool = False
    seconds: float = 0.0  # of a run
    silent: bool = False  # as long as no run returned anything
    fixed: list = field(default_factory=list)

    def record(self, data, noise, old=None, **more):
        """(tape, leaves of the output); noise: (base, transcript)."""
        if self.forked:
            return fresh.child(lambda: self._record(data, noise, old, True, **more))
        return self._record(data, noise, old, **more)

    def _record(self, data, noise, old=None, renew=False, **more):
        key = key_of("audit recorded", self.seed, *noise)
        wild = TRANSCRIPTS[noise[1] % len(TRANSCRIPTS)]
        tape = Tape(np.random.Generator(np.random.Philox(key=key)), *wild, old=old, **more)
        p = self.program
        function = fresh.renewed(p.function) if renew else p.function
        try:
            output = p.record(function, copied(data), tape)
        except Diverged:
            raise
        except Exception as error:
            output = ["raised", type(error).__name__, str(error)]
        return tape, leaves(output)

    def start(self, data, other) -> None:
        """How the program is to be run."""

        def usual():
            fresh.random.seed(1)
            old = set(sys.modules)
            found = [
                leaves(
                    fresh.outcome(self.program.run, self.program.function, data, fresh.Ported(i))
                )
                for i in range(30)
            ]
            return found, sorted({name for name in set(sys.modules) - old if "." not in name})

        outputs, modules = fresh.child(usual)
        for name in modules:  # so that not each process imports them
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        names = {x[2][1] for x in outputs if len(x) > 2 and x[1][1] == "raised"}
        self.silent = all(x == NOTHING for x in outputs)

        def repeated():
            start = time.perf_counter()
            found = [self._record(data, (repr(data), 0)) for _ in range(REPEATS)]
            return (time.perf_counter() - start) / REPEATS, found

        try:
            self.seconds, runs = fresh.child(repeated)
            if len({repr((a.events, x)) for a, x in runs}) > 1:
                self.forked = True
                runs = [self.record(data, (repr(data), 0)) for _ in range(REPEATS)]
                if len({repr((a.events, x)) for a, x in runs}) > 1:
                    self.hidden = "a run differs when it is repeated with the same random numbers"

                def follow():
                    self.program = replace(
                        self.program, function=fresh.renewed(self.program.function)
                    )
                    return [self._record(x, (repr(x), 0)) for x in (data, other)]

                after = fresh.child(follow)
                alone = self.record(other, (repr(other), 0))
                if repr((after[1][0].events, after[1][1])) != repr((alone[0].events, alone[1])):
                    self.hidden = "what it keeps of a run on one data set changes a run on another"
            tape, x = runs[0]
        except (RuntimeError, Diverged) as why:
            self.hidden = str(why)
            return
        if len(x) > 2 and x[1][1] == "raised" and x[2][1] not in names:
            self.failed = f"with recorded numbers it raises {x[2][1]}: {x[3][1]}"

    def replay(self, pairs) -> None:
        for _, group in groupby(pairs, key=lambda pair: repr(pair.data)):
            group = list(group)
            worst = dict.fromkeys(range(len(group)))
            for transcript in range(self.transcripts):
                noise = repr(group[0].data), transcript
                try:
                    tape, output = self.record(group[0].data, noise)
                except Diverged as why:  # it does not stop
                    self.hidden = self.hidden or ("" if transcript else str(why))
                    continue
                self._note(tape)
                for i, pair in enumerate(group):
                    one = self._replayed(pair, noise, tape, output)
                    if worst[i] is None or one.rank(self.claim) > worst[i].rank(self.claim):
                        worst[i] = one
            self.found += [pair for pair in worst.values() if pair]
            self.pairs += len(group)

    def _note(self, tape):
        self.unseen |= tape.unseen
        self.drawn = self.drawn and not tape.laws
        self.blind = self.blind or any(e.kind in ("draw", "blind") for e in tape.events)
        self.released |= {
            (i, e.name)
            for e in tape.events
            if e.kind == "=" and e.name != "the output"
            for i in e.parts
        }

    def _replayed(self, pair, noise, tape, output):
        try:
            other, out = self.record(pair.neighbour, noise, old=tape)
        except Diverged as why:
            return replace(
                pair, loss=Loss(why=str(why)), finding=f"with the same noised quantities, {why}"
            )
        except RuntimeError as why:
            return replace(pair, loss=Loss(why=str(why)), finding=str(why))
        for a, b in zip(tape.events, other.events, strict=False):
            if repr((a.base, a.parts)) != repr((b.base, b.parts)):
                self.moved |= (
                    a.parts.keys() if a.kind != "order" else set().union(*a.parts["parts"])
                )
        loss = align(tape, other)
        self.silent = self.silent and output == out == NOTHING
        seen = (self.program.seen(x, pair.place) for x in (output, out))
        if repr(next(seen)) != repr(next(seen)):
            said = [[x for _, x in y if not isinstance(x, Size)] for y in (output, out)]
            text = f"the output {short(said[0])} becomes {short(said[1])} although all noised quantities are the same"
            return replace(pair, loss=Loss(why=text), finding=text)
        return replace(pair, loss=loss)

    # The answers
    def judged(self, covered: str, runs: int) -> RecordedAudit:
        claim, self.sampled = self.claim, None
        suspects = sorted(
            (p for p in self.found if claim.broken_by(p.loss)),
            key=lambda p: p.rank(claim),
            reverse=True,
        )
        worst = (
            suspects[0] if suspects else max(self.found, key=lambda p: p.rank(claim), default=None)
        )
        alone = (
            []
            if self.program.trusted
            else sorted({n for i, n in self.released if i not in self.moved})
        )
        unseen = [] if self.program.trusted else sorted(self.unseen)
        doubt = self.hidden or self.failed or ("it returns None" if self.silent else "")
        if self.drawn and not (doubt or unseen) and suspects:
            with contextlib.suppress(OverflowError, Diverged):
                exact = max((self._exact(p) for p in suspects), key=lambda x: (x[1], x[0]))
                epsilon, delta, output, worst = exact
                if delta > claim.delta * ROUNDING and not self._agrees(worst):
                    return self._said(
                        "not judged",
                        worst,
                        "new processes have other outputs than the recorded runs",
                        covered,
                    )
                if delta > claim.delta * ROUNDING:
                    return self._said(
                        "refuted",
                        worst,
                        f"the output {output} loses exactly {epsilon:.6g}"
                        if epsilon < math.inf
                        else f"the output {output} is possible on one data set only",
                        covered,
                    )
                return self._said("within", worst, "all ways were enumerated", covered)
        if not suspects and not (doubt or unseen or alone):
            if not (self.moved or self.blind):
                return self._said(
                    "not judged",
                    worst,
                    "nothing moved, so nothing was tested: try more or other records",
                    covered,
                )
            return self._said("within", worst, "", covered)
        direct = {}
        if suspects and not doubt:
            few = suspects if len(suspects) <= MOST_SHOWN else suspects[:5]
            for p in few:
                direct[id(p)] = self._shown(p)
                if direct[id(p)] is None:
                    break
            if (
                few is suspects
                and len(direct) == len(few)
                and all(x and not claim.broken_by(x) for x in direct.values())
            ):
                return self._said("within", worst, "", covered)
        candidates = suspects or self.found
        if runs and candidates:
            value, words, how, pair = self._sampled(candidates, runs)
            if value > claim.epsilon:
                worst = next((p for p in candidates if (p.data, p.neighbour) == pair), worst)
                text = f"it loses at least {value:.4g} with confidence 1 - 1e-6: {words} ({how})"
                return self._said("refuted", worst, text, covered)
        for pair in suspects:
            if (
                (loss := direct.get(id(pair)))
                and claim.broken_by(loss)
                and (claim.delta == 0 or loss.exact)
            ):
                lost = (
                    f"loses {loss.epsilon:.6g}"
                    if claim.delta == 0
                    else f"has delta {loss.delta(claim.epsilon):.3g}"
                )
                return self._said(
                    "refuted",
                    replace(pair, loss=loss),
                    f"its output determines the noise, and {lost}",
                    covered,
                )
        lost = [*unseen, *(f"noise alone ({x})" for x in alone)]
        if doubt:
            return self._said("not judged", worst, doubt, covered)
        if lost and (not suspects or worst.finding):
            return self._said(
                "not judged",
                worst,
                f"data may meet what is drawn without them: {', '.join(lost)}; {ADVICE}",
                covered,
            )
        if self.blind and worst.finding:
            return self._said(
                "not judged",
                worst,
                f"data meet outcomes that were drawn without them; {ADVICE}",
                covered,
            )
        return self._said("suspected", worst, worst.finding or worst.loss.why or "", covered)

    def _said(self, kind, pair, text, covered):
        claim = self.claim
        pair = pair or Pair([], [], None)
        loss = pair.loss
        head = {
            "refuted": f"not {claim}",
            "suspected": f"suspected: not {claim}",
            "within": f"no leak seen for {claim}",
            "not judged": f"not judged whether it is {claim}",
        }[kind]
        lines = [f"{head}: {text}" if text else head]
        if kind != "within" and pair.data != pair.neighbour:
            lines.append(f"data {short(pair.data)}, neighbour {short(pair.neighbour)}")
        if kind in ("refuted", "suspected") and loss.line:
            scale = (
                f"; noise {loss.epsilon / claim.epsilon:.3g} times as large would do"
                if 0 < loss.epsilon < math.inf and not claim.delta
                else ""
            )
            moves = (
                loss.why
                or f"what the noise of {loss.line} is added to moves by {loss.movement:.6g}"
            )
            lines += [moves + scale] if moves != text else []
        lines += [f"looked at {self.pairs} pairs: {covered}", UNSEEN]
        return RecordedAudit(kind == "refuted", kind == "suspected", kind == "within", "\n".join(lines), loss.epsilon,
                             loss.delta(claim.epsilon), pair.data, pair.neighbour, pair.finding, loss.line, loss.movement,
                             self.pairs, covered, UNSEEN, self.sampled)  # fmt: skip

    def _sampled(self, pairs, runs):
        p, claim = self.program, self.claim
        few = distinct((x.data, x.neighbour) for x in pairs)
        chosen = (
            few[: SUSPECTS // 2]
            + [few[i] for i in np.linspace(SUSPECTS // 2, len(few) - 1, SUSPECTS // 2).astype(int)]
            if len(few) > SUSPECTS
            else few
        )
        few = distinct(chosen)
        if len(few) > 1 and self.seconds < SLOW:
            ranked = sorted(few, key=lambda x: -self._pilot(x))[:1]
        else:
            ranked = few[:1]
        best = -math.inf, "", "", ranked[0]
        for k, pair in enumerate(ranked):
            try:
                found = fresh.bound(
                    p.run, p.function, pair, claim, runs, self.seed + k, 1 - 1e-6 / len(ranked)
                )
            except (RuntimeError, TypeError, ValueError):
                continue
            best = max(best, (*found, pair), key=lambda x: x[0])
        self.sampled = best[0]
        return best

    def _pilot(self, pair) -> float:
        p, half = self.program, int(min(PILOT, max(60, 0.3 / max(self.seconds, 1e-6)))) // 2
        try:
            both = [fresh.sample(p.run, p.function, x, 2 * half, self.seed + 7) for x in pair]
            first, second = ([x[:half], x[half:]] for x in both)
            return fresh._measured(first, second, self.claim, 0.9)[0]
        except (RuntimeError, TypeError, ValueError):
            return -math.inf

    def _exact(self, pair):
        laws = [self._law(x, pair.place) for x in (pair.data, pair.neighbour)]
        best = (0.0, 0.0, "", pair)
        for p, q in (laws, laws[::-1]):
            ratios = {k: math.log(x[0] / q[k][0]) if k in q else math.inf for k, x in p.items()}
            over = math.fsum(
                max(0.0, x[0] - math.exp(self.claim.epsilon) * q.get(k, (0.0,))[0])
                for k, x in p.items()
            )
            over = over if max(ratios.values()) > self.claim.epsilon * ROUNDING else 0.0
            key = max(ratios, key=ratios.get)
            best = max(best, (ratios[key], over, p[key][1], pair), key=lambda x: (x[1], x[0]))
        return best

    def _agrees(self, pair) -> bool:
        """Whether the unmodified program has outputs as often as was enumerated."""
        p = self.program
        for data in (pair.data, pair.neighbour):
            law = sorted((x[0] for x in self._law(data, None).values()), reverse=True)
            seen = [
                x
                for i in range(8)
                for x in fresh.sample(p.run, p.function, data, 50, self.seed + i)
            ]
            counts = sorted(Counter(map(repr, seen)).values(), reverse=True)
            near = (
                abs(n / len(seen) - q) <= 6 * math.sqrt(max(q, 1e-3) / len(seen))
                for n, q in zip(counts, law, strict=False)
            )
            if len(counts) > len(law) or not all(near):
                return False
        return True

    def _law(self, data, place):
        """{output: (its probability, in words)}, by all ways of the draws."""
        key = repr((data, place))
        self.laws = getattr(self, "laws", {})
        if key in self.laws:
            return self.laws[key]
        law, ways = {}, [[]]
        while ways:
            way = ways.pop()
            tape, output = self.record(data, (repr(data), 0), forced=list(way))
            self.paths = getattr(self, "paths", 0) + 1
            if self.paths > 20 * MOST_PATHS or tape.laws or tape.unseen:
                raise OverflowError
            chance = 1.0
            for k, event in enumerate(tape.events):
                if k >= len(way):
                    ways += [
                        [*[e.out for e in tape.events[:k]], o]
                        for o in np.flatnonzero(event.base).tolist()
                        if o != event.out
                    ]
                chance *= event.base[event.out]
            key_ = repr(self.program.seen(output, place))
            law[key_] = (
                law.get(key_, (0.0,))[0] + chance,
                short([x for _, x in output if not isinstance(x, Size)]),
            )
            if len(ways) > MOST_PATHS:
                raise OverflowError
        self.laws[key] = law
        return law

    def _shown(self, pair) -> Loss | None:
        """By derivatives: where the output is numbers alone that determine all noise, the shift of
        the noise that gives the neighbour's run the same output; its cost is the loss itself."""
        worst = None
        for transcript in range(self.transcripts):
            noise, runs = (repr(pair.data), transcript), []
            for data in (pair.data, pair.neighbour):
                tape, output = self.record(data, noise)
                base = _numbers(output)
                if (
                    tape.unseen
                    or any(e.kind in ("draw", "blind", "order") for e in tape.events)
                    or not (0 < len(tape.units) <= MOST_DRAWS and len(base) >= len(tape.units))
                ):
                    return None
                moved = [
                    _numbers(self.record(data, noise, shift={i: 1e-3})[1])
                    for i in range(len(tape.units))
                ]
                if any(len(x) != len(base) for x in moved):
                    return None
                slopes = (np.array(moved) - base) / 1e-3
                if not np.isfinite(slopes).all() or np.linalg.matrix_rank(slopes, tol=1e-7) < len(
                    slopes
                ):
                    return None
                runs.append(
                    (
                        tape.laws,
                        [(n, None if isinstance(x, float) else x) for n, x in output],
                        slopes,
                        base,
                    )
                )
            a, b = runs
            if a[:2] != b[:2] or not np.allclose(a[2], b[2], rtol=1e-5, atol=1e-7):
                return None
            s = np.linalg.lstsq(b[2].T, a[3] - b[3], rcond=None)[0]
            s[np.abs(s) < 1e-9] = 0.0
            again = _numbers(
                self.record(pair.neighbour, noise, shift=dict(enumerate(s.tolist())))[1]
            )
            if len(again) != len(a[3]) or not np.allclose(again, a[3], rtol=1e-9, atol=1e-12):
                return None
            loss = cost(dict(enumerate(s.tolist())), a[0])
            self.fixed = self.fixed or a[1]
            if self.fixed != a[1]:
                return None
            worst = max(
                (x for x in (worst, loss) if x),
                key=lambda x: (x.delta(self.claim.epsilon), x.epsilon),
            )
        return worst


def _numbers(output):
    return np.array([x for _, x in output if isinstance(x, float)])


def short(value) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
