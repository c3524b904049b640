"""Pairs of data sets: each is run once, recorded, and replayed on its neighbours."""

import contextlib
import importlib
import math
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from dpbandits.audit.replayed.align import Loss, align
from dpbandits.audit.replayed.tape import Diverged, Tape
from dpbandits.audit.sampled.outcomes import ALLOWED, Size, copied, leaves
from dpbandits.audit.sampled.processes import child, raised, renewed, usual
from dpbandits.core.mechanisms import ROUNDING
from dpbandits.core.streams import key_of

NOTHING_LOST = Loss()
NOTHING = [("/NoneType", None)]
REPEATS, MOST_WINNERS = 8, 6
TRANSCRIPTS = ((1, 0), (10, 0), (10, 1), (10, -1))  # (times the noise, its sign), in turn


@dataclass(frozen=True)
class Claim:
    epsilon: float
    delta: float = 0.0

    def __str__(self) -> str:
        return f"({self.epsilon:g}, {self.delta:g})-DP"

    def broken_by(self, loss: Loss) -> bool:
        return loss.delta(self.epsilon) > self.delta * ROUNDING


@dataclass(frozen=True)
class Program:
    """run(function, data, generator) is a usual run, record(start, data, tape) a recorded one, with
    function = start()."""

    function: Callable
    run: Callable
    record: Callable
    joint: bool = False  # the output has a part for each record; that of the record is not compared
    trusted: bool = False  # what its generator draws beside noise may be used after it

    def seen(self, output, place):
        """Leaves of an output that are compared."""
        own = f"/list {place}/"
        return [x for x in output if not x[0].startswith(own)] if self.joint else output

    def others(self, place) -> Callable:
        """`run` without what the record in `place` sees itself, if that is not compared."""

        def run(function, data, generator):
            output = self.run(function, data, generator)
            return [*output[:place], *output[place + 1 :]]

        return run if self.joint and place is not None else self.run


@dataclass(frozen=True)
class Pair:
    data: list
    neighbour: list
    place: int | None = None  # of the record in which they differ
    loss: Loss = NOTHING_LOST
    finding: str = ""  # what differs although all that is noised is the same

    def rank(self, claim: Claim):
        """By the loss that is claimed: an epsilon is infinite wherever there is Gaussian noise."""
        loss = self.loss
        lost = loss.delta(claim.epsilon)
        return lost, bool(self.finding), min(loss.epsilon, 1e9), loss.gaussian

    @property
    def relation(self) -> str:
        more = len(self.neighbour) - len(self.data)
        return {0: "one record replaced", 1: "one record more"}.get(more, "one record less")


@dataclass
class Replays:
    program: Program
    claim: Claim
    seed: int = 0
    transcripts: int = 4
    pairs: int = 0
    found: list[Pair] = field(default_factory=list)  # one for each pair, its worst
    moved: set = field(default_factory=set)  # draws below which something moved
    released: set = field(default_factory=set)  # (draw, line) of single noisy numbers
    unseen: set = field(default_factory=set)  # draws that no replay follows
    above_declared: str = ""  # what moves by more than a port was told
    blind: bool = False  # outcomes with which data meet unseen
    drawn: bool = True  # nothing but choices and coins is random
    doubt: str = ""  # why the replays show nothing, e.g. random numbers that are not seen
    forked: bool = False  # each run in a new process
    seconds: float = 0.0  # of a run
    size: int = 0  # quantities that a run noises
    always: list | None = None  # the outcome of all runs, as long as it is the same
    met: Counter = field(default_factory=Counter)  # how often a line noises, at most in a run

    def record(self, data, noise, old=None, **more):
        """(tape, leaves of the output); noise: (base, transcript)."""
        if self.forked:
            return child(lambda: self._record(data, noise, old, True, **more))
        return self._record(data, noise, old, **more)

    def _record(self, data, noise, old=None, renew=False, **more):
        key = key_of("audit recorded", self.seed, *noise)
        wild = TRANSCRIPTS[noise[1] % len(TRANSCRIPTS)]
        more["prefer"] = None if noise[1] < self.transcripts else noise[1] - self.transcripts
        tape = Tape(np.random.Generator(np.random.Philox(key=key)), *wild, old=old, **more)
        p = self.program

        def start():
            return renewed(p.function) if renew else p.function

        try:
            output = p.record(start, copied(data), tape)
        except Diverged:
            raise
        except Exception as error:  # an outcome
            output = ["raised", type(error).__name__, str(error)]
        return tape, leaves(output)

    # How the program is to be run
    def start(self, data, other, recorded=True) -> None:
        try:
            errors = self._usual(data)
            if not recorded:
                self.doubt = "samples alone can only refute"
                return
            runs = self._repeated(data, other)
        except TypeError as why:
            self.doubt = f"it returned {why}; allowed: {ALLOWED}"
            return
        except (RuntimeError, Diverged) as why:
            self.doubt = str(why)
            return
        tape, shown = runs[0]
        self.size = len(tape.events) + len(tape.units)
        if raised(shown) and raised(shown) not in errors:
            self.doubt = f"with recorded numbers it raises {raised(shown)}: {shown[3][1]}"

    def _usual(self, data) -> set[str]:
        """The errors of usual runs; what they import, so that not each process has to."""

        def work():
            old = set(sys.modules)
            found = usual(self.program.run, self.program.function, data)
            return found, sorted({name for name in set(sys.modules) - old if "." not in name})

        outputs, modules = child(work)
        for name in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        self.always = outputs[0] if all(x == outputs[0] for x in outputs) else None
        return {raised(x) for x in outputs}

    def _repeated(self, data, other) -> list:
        """Equal runs of one process, or of several: else something random is not seen."""
        noise = repr(data), 0

        def repeated():
            found, start = [self._record(data, noise)], time.process_time()
            found += [self._record(data, noise) for _ in range(REPEATS - 1)]
            return (time.process_time() - start) / REPEATS, found

        self.seconds, runs = child(repeated)
        if _equal(runs):
            return runs
        self.forked = True
        runs = [self.record(data, noise) for _ in range(REPEATS)]
        if not _equal(runs):
            self.doubt = "a run differs when it is repeated with the same random numbers"

        def follow():
            program = self.program
            self.program = replace(program, function=renewed(program.function))
            return [self._record(x, (repr(x), 0)) for x in (data, other)]

        if not _equal([child(follow)[1], self.record(other, (repr(other), 0))]):
            self.doubt = "what it keeps of a run on one data set changes a run on another"
        return runs

    def replay(self, pairs: list[Pair]) -> None:
        for _, group in groupby(pairs, key=lambda pair: repr(pair.data)):
            group = list(group)
            worst = dict.fromkeys(range(len(group)))
            transcript, last = 0, self.transcripts
            while transcript < last:
                noise = repr(group[0].data), transcript
                transcript += 1
                try:
                    tape, output = self.record(group[0].data, noise)
                except Diverged as why:  # it does not stop
                    self.doubt = self.doubt or ("" if transcript > 1 else str(why))
                    continue
                self._note(tape)
                scores = max((len(e.forms) for e in tape.events if e.kind == "order"), default=0)
                last = max(last, self.transcripts + min(scores, MOST_WINNERS))  # one for each
                for i, pair in enumerate(group):
                    one = self._replayed(pair, noise, tape, output)
                    if worst[i] is None or one.rank(self.claim) > worst[i].rank(self.claim):
                        worst[i] = one
            self.found += [pair for pair in worst.values() if pair]
            self.pairs += len(group)

    def _note(self, tape: Tape) -> None:
        self.unseen |= tape.unseen
        self.met |= Counter(event.name for event in tape.events)
        self.drawn = self.drawn and not tape.laws
        self.blind = self.blind or any(e.kind in ("draw", "blind") for e in tape.events)
        inside = (e for e in tape.events if e.kind == "=" and e.name != "the output")
        self.released |= {(i, e.name) for e in inside for i in e.draws}

    def _replayed(self, pair: Pair, noise, tape: Tape, output) -> Pair:
        try:
            other, out = self.record(pair.neighbour, noise, old=tape)
        except Diverged as why:
            text = f"with the same noised quantities, {why}"
            return replace(pair, loss=Loss(why=str(why)), finding=text)
        except RuntimeError as why:
            return replace(pair, loss=Loss(why=str(why)), finding=str(why))
        self._note_moves(tape, other)
        self.always = self.always if output == out == self.always else None
        before, after = (self.program.seen(x, pair.place) for x in (output, out))
        if repr(before) == repr(after):
            return replace(pair, loss=align(tape, other))
        text = f"the output {words(before)} becomes {words(after)}, all that is noised being equal"
        return replace(pair, loss=Loss(why=text), finding=text)

    def _note_moves(self, tape: Tape, other: Tape) -> None:
        for k, (a, b) in enumerate(zip(tape.events, other.events, strict=False)):
            if a.forms == b.forms:
                continue
            self.moved |= a.draws
            limit = tape.declared.get(k, math.inf)
            moves = (abs(y - x) for x, y in zip(a.bases, b.bases, strict=True) if x != y)
            move = max(moves, default=0.0)
            if move > limit * ROUNDING:
                self.above_declared = f"{a.name} moves by {move:.6g}, declared: {limit:.6g}"


def _equal(runs) -> bool:
    return len({repr((tape.events, shown)) for tape, shown in runs}) == 1


def words(shown: list) -> str:
    """Leaves of an output as a short text."""
    return short([x for _, x in shown if not isinstance(x, Size)])


def short(value, most: int = 80) -> str:
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def thinned(replays: Replays, pairs: list[Pair], budget: float, seconds: float) -> list[Pair]:
    """As many of the pairs as a budget of noised quantities allows: the same on every machine, but
    for a program so slow that the seconds decide."""
    each = 1.3 * replays.transcripts
    share = len(pairs) * each * (10 + replays.size) / budget
    slow = len(pairs) * each * (0.03 if replays.forked else replays.seconds) / seconds
    return pairs[:: max(1, math.ceil(max(share, slow)))]
