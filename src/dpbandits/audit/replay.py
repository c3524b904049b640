"""The grey-box audit: run a program on D, replay it on its neighbours, without samples.

    dpbandits audit --learner rnm-ftnl --set epsilon=1 horizon=6 variant=printed
    dpbandits audit --function noisy_max:winner --noise recorded --set data='[0,1,1]' epsilon=1

All data sets and neighbours of a small table are tried; for larger ones `core.attack` climbs to the
largest loss. Each data set is run with several transcripts of noise, most of them ten times as
large or of one sign, so that unlikely ways are seen, too. What `recorder` adds up is the loss of
the noised quantities: an upper bound (`epsilon`) on that of anything computed from them on these
ways. `at_least` is attained by the output: it counts a run only if the output shows all that the
run noised (`_shown`). An output that the replay does not reproduce is a finding: data reach it
without noise. So is a replay that noises other quantities, or with another scale; that refutes a
claim only if the output shows it.
"""

import inspect
import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import combinations, islice, product
from typing import Annotated, Any

import numpy as np
from pydantic import ConfigDict, Field
from scipy.special import ndtr

from dpbandits.audit.function import Records, load, no_outcome, some_of
from dpbandits.audit.recorder import (
    Diverged,
    Endless,
    Loss,
    NotedGenerator,
    RecordedGenerator,
    RecordedNoise,
    Tape,
    Unequal,
    form,
    losses,
    plain,
)
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.attack import attack, share
from dpbandits.core.errors import InputError, said
from dpbandits.core.mechanisms import ROUNDING, delta_of_pure, json_number
from dpbandits.core.models import Model, parse
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.streams import key_of
from dpbandits.core.zcdp import delta_of

TRANSCRIPTS = ((1, 0), (10, 0), (10, 1), (10, -1))  # (times the noise, its sign), in turn
MOST_PAIRS, SEARCHED, MOST_REPORTED = 3000, 2000, 8
FORCED, MOST_HIDDEN = (-100, -10, -1, -0.1, 0.1, 1, 10, 100), 200  # see `_shown`
KINDS = ("replace", "remove", "add", "flip")
Output = Any


@dataclass(frozen=True)
class Program:
    """`run(data, tape, rng, unseen)` gives its output; `same(first, second, place)` compares the
    outputs of two runs whose data differ at `place`."""

    run: Callable[[list, Tape, np.random.Generator, set], Output]
    same: Callable[[Output, Output, int | None], bool]


@dataclass(frozen=True)
class Pair:
    """What a replay found."""

    data: list
    neighbour: list
    parts: tuple[Loss, ...] = ()
    finding: str = ""
    refutes: float = 0.0  # all claims with a delta below this, by the finding, if it is shown
    shown: bool = False  # whether the output shows what was noised

    @property
    def epsilon(self) -> float:
        return math.inf if self.finding else math.fsum(part.epsilon for part in self.parts)

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


@dataclass(frozen=True)
class RecordedAudit:
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
    unseen: list[str]
    within: bool
    refuted: bool
    verdict: str

    def as_json(self) -> dict:
        numbers = ("epsilon", "at_least", "rho", "delta")
        values = {key: json_number(getattr(self, key)) for key in numbers}
        return json.loads(json.dumps(asdict(self) | values, default=_listed))


def _listed(value):
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


@dataclass
class Replays:
    """Runs a program and its replays, and keeps the worst pair."""

    program: Program
    transcripts: int
    seed: int
    epsilon: float  # claimed
    runs: int = 0
    pairs: int = 0
    worst: Pair | None = None
    above: dict[str, str] = field(default_factory=dict)
    unseen: set = field(default_factory=set)
    at_least: float = 0.0
    hidden: int = 0  # runs whose output did not show what they noised
    silent: bool = True  # as long as no run returned anything
    endless: set = field(default_factory=set)  # transcripts in which a run did not stop

    def try_all(self, data: list, neighbours: Iterable[tuple[list, int | None]]) -> float:
        """The largest loss of the pairs, over all transcripts."""
        neighbours, largest = list(neighbours), 0.0
        for transcript in sorted(set(range(self.transcripts)) - self.endless):
            try:
                recorded, output = self._run(data, transcript)
            except Endless as why:
                self.endless.add(transcript)
                self._keep(Pair(data, data, (), str(why)))
                continue
            for neighbour, place in neighbours:
                pair = self._replayed(data, neighbour, place, transcript, recorded, output)
                self.at_least = max(self.at_least, pair.at_least if pair.shown else 0.0)
                largest = max(largest, self._keep(pair))
        self.pairs += len(neighbours)
        return largest

    def _run(self, data, transcript, recorded=None):
        """(events, output) of a run; the noise is the same for a transcript of all data."""
        self.runs += 1
        tape, output = self._taped(data, transcript, recorded=recorded)
        return tape.events, output

    def _taped(self, data, transcript, **tape):
        noise, other = (_generator(self.seed, transcript, part) for part in ("noise", "other"))
        wild, sign = TRANSCRIPTS[transcript % len(TRANSCRIPTS)]
        tape = Tape(noise, wild, sign, **tape)
        output = plain(self.program.run(list(data), tape, other, self.unseen))
        leaves = _leaves(output)
        self.silent = self.silent and not any(leaf is not None for leaf in leaves)
        others = [
            x for x in leaves if not isinstance(x, int | float | complex | str | bytes | None)
        ]
        if errors := [no_outcome(leaf, "audit: the audited code") for leaf in others]:
            raise errors[0]
        return tape, output

    def _replayed(self, data, neighbour, place, transcript, recorded, output) -> Pair:
        refutes = 0.0
        try:
            events, other = self._run(neighbour, transcript, recorded)
            pair = Pair(data, neighbour, tuple(losses(recorded, events)))
        except Diverged as why:
            if isinstance(why, Unequal):
                refutes = 1.0 if why.any_delta else 1e-300
            text = f"with the same noised quantities, {why}"
            if not recorded and self._shows_noise(neighbour, place, transcript):
                return Pair(data, neighbour, (), text, 1.0, shown=True)
            pair = Pair(data, neighbour, (), text, refutes)
        except InputError:
            raise
        except Exception as error:
            text = f"the replay raised {said(error)}"
            return Pair(data, neighbour, (), text)
        else:
            if not self.program.same(output, other, place):
                text = f"the output {_short(output)} becomes {_short(other)} although all noised "
                text += "quantities are the same"
                return Pair(data, neighbour, pair.parts, text, 1.0, shown=not self.unseen)
        matters = pair.at_least > self.at_least or pair.refutes
        if not pair.finding and [part.law for part in pair.parts] == ["gaussian"]:
            matters = matters or self.worst is None or pair.rho > self.worst.rho
        shown = matters and self._shows(data, neighbour, place, transcript, recorded)
        return replace(pair, shown=bool(shown))

    def _shows(self, data, neighbour, place, transcript, recorded) -> bool:
        """Whether the outputs on both data sets show all that the run noised, in the same way."""
        if self.unseen or self.hidden >= MOST_HIDDEN:
            return False
        try:
            first, second = (
                self._shown(x, place, transcript, recorded) for x in (data, neighbour)
            )  # fmt: skip
        except Exception:  # of the program, with an outcome that was forced
            first = second = None
        shows = None not in (first, second) and first[1] == second[1] and all(
            len(a) == len(b) and self.program.same(a, b, place)
            for a, b in zip(first[0], second[0], strict=True)
        )  # fmt: skip
        self.hidden += not shows
        return shows

    def _shows_noise(self, data, place, transcript) -> bool:
        """Whether the output shows a number with noise, and so almost never equals a given one."""
        try:
            events = self._taped(data, transcript)[0].events
            released = any(event.kind == "release" for event in events)
            found = released and self._shown(data, place, transcript, events) is not None
            return bool(found and not self.unseen)
        except Exception:  # of the program
            return False

    def _shown(self, data, place, transcript, recorded):
        """What the output shows of the noised quantities: None, if not all of them, or (what
        follows each choice of each argmax, the places of the released numbers).

        A choice is shown if each other choice leads to other decisions before anything more is
        noised. A released number is shown if it stands in the output, at one place and as it is,
        also if all released numbers are replaced by others, small and large, of both signs.
        """
        outcomes, follows, rng = [event.output for event in recorded], [], np.random.default_rng(0)
        for i, event in enumerate(recorded):
            if event.kind == "argmax":
                if event.count is not None or np.ndim(event.output):
                    return None
                choices = np.flatnonzero(np.isfinite(event.value)).tolist()
                after = [self._after(data, transcript, [*outcomes[:i], c]) for c in choices]
                for a, b in combinations(after, 2):
                    n = min(len(a), len(b))
                    if self.program.same(a[:n], b[:n], place):
                        return None
                follows += after
        places = None
        for factor in FORCED if any(event.kind == "release" for event in recorded) else ():
            forced = [
                event.output if event.kind == "argmax" else factor * rng.uniform(1, 2, np.shape(x))
                * (event.scale.max(initial=0.0) + abs(x))
                for event in recorded for x in [event.value]
            ]  # fmt: skip
            tape, output = self._taped(data, transcript, forced=forced, most=len(forced) + 1)
            if list(map(form, tape.events)) != list(map(form, recorded)):
                return None
            leaves = _leaves(output)
            numbers = [x for x, e in zip(forced, recorded, strict=True) if e.kind == "release"]
            found = [leaves.index(x) for x in _leaves(numbers) if x in leaves]
            if len(found) < len(_leaves(numbers)) or found != (places or found):
                return None
            places = found
        return follows, places

    def _after(self, data, transcript, forced) -> list:
        """The output after these outcomes, as far as nothing more is noised."""
        most = 10 * len(forced) + 100
        tape, output = self._taped(data, transcript, forced=forced, most=most)
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
        return pair.epsilon if pair.epsilon < math.inf else min(1e9, pair.rho) + 1e3

    def result(self, delta: float, covered: str) -> RecordedAudit:
        if self.silent and not self.endless:
            raise no_outcome(None, "audit: the audited code")
        worst, claimed = self.worst, self.epsilon
        parts = sorted(worst.parts, key=lambda part: -part.epsilon)
        moved = [_described(part) for part in parts[:MOST_REPORTED]]
        at = worst.delta(claimed)
        within = worst.epsilon <= claimed * ROUNDING or at <= delta * ROUNDING
        verdict = _verdict(worst, self.at_least, claimed, delta, within, self.unseen)
        return RecordedAudit(
            worst.epsilon, self.at_least, worst.rho, at, parts[0].name if parts else "", moved,
            sorted(self.above.values()), worst.data, worst.neighbour, worst.finding, self.pairs,
            self.runs, covered, sorted(self.unseen),
            within, verdict.startswith("not ("), verdict,
        )  # fmt: skip


def _generator(seed: int, transcript: int, part: str) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=_key(seed, transcript, part)))


@cache
def _key(seed: int, transcript: int, part: str) -> int:
    return int(key_of("audit recorded", seed, transcript, part))


def _rank(pair: Pair):
    return (bool(pair.finding and pair.shown), bool(pair.finding), pair.epsilon, pair.rho)


def _leaves(output) -> list:
    """The numbers (and whatever else) of an output in one row."""
    if isinstance(output, list | tuple):
        return [leaf for part in output for leaf in _leaves(part)]
    return np.ravel(output).tolist()


def _short(value) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _described(part: Loss) -> dict:
    keys = ("name", "law", "movement", "scale", "epsilon", "rho")
    values = {key: getattr(part, key) for key in keys}
    return {key: json_number(x) if isinstance(x, float) else x for key, x in values.items()}


def _verdict(worst: Pair, at_least: float, claimed: float, delta: float, within: bool, unseen):
    claim = f"({claimed:g}, {delta:g})-DP"
    if worst.finding and unseen:
        hidden = f"(random numbers of {', '.join(sorted(unseen))} may hide it)"
        return f"not shown to be {claim}: {worst.finding} {hidden}"
    if worst.finding and worst.shown and delta < worst.refutes:
        return f"not {claim}: {worst.finding}"
    if within:
        return f"within {claim}, for the pairs and transcripts that were tried"
    if delta == 0 and at_least > claimed * ROUNDING:
        return f"not {claim}: its output loses at least {at_least:.6g}"
    if worst.finding:
        return f"not shown to be {claim}: {worst.finding}"
    if worst.shown and [part.law for part in worst.parts] == ["gaussian"]:  # then delta is exact
        return f"not {claim}: its delta is at least {worst.delta(claimed):.3g}"
    lost = f"{worst.epsilon:.6g}" if delta == 0 else f"delta {worst.delta(claimed):.3g}"
    return (
        f"not shown to be {claim}: what it noises loses up to {lost} if all of it is published; "
        "its output may show less"
    )


# Functions of (data, generator)
class RecordedParams(Model):
    """What `dpbandits audit --function NAME --noise recorded` takes by --set."""

    data: Records | None = Field(None, description="records, as JSON; left out: all data sets")
    records: int = Field(3, ge=1, le=1000, description="size of these data sets")
    values: Records = Field([0, 1], min_length=1, description="values of a record")
    neighbour: Records | None = Field(None, description="one data set instead of all neighbours")
    neighbours: Annotated[str, some_of(*KINDS)] = Field(
        "replace", description="any of replace, remove, add, flip"
    )
    epsilon: float = Field(1.0, ge=0, description="epsilon of the claim")
    delta: float = Field(0.0, ge=0, lt=1, description="delta of the claim")
    transcripts: int = Field(4, ge=1, le=1000, description="runs of each data set")
    seed: int = Field(0, ge=0, description="seed of the noise and of the search")
    tries: int = Field(SEARCHED, ge=4, le=10**6, description="pairs that a search tries")


def neighbours_of(data: list, values: list, kinds: Iterable[str]) -> Iterator[tuple[list, int]]:
    """(neighbour, the place where it differs)."""
    for kind in kinds:
        for i, record in enumerate(data):
            if kind == "remove":
                yield data[:i] + data[i + 1 :], i
            elif kind == "flip" and record in (0, 1):
                yield [*data[:i], 1 - record, *data[i + 1 :]], i
            elif kind == "replace":
                others = (v for v in values if not np.array_equal(v, record))
                yield from (([*data[:i], v, *data[i + 1 :]], i) for v in others)
        if kind == "add":
            yield from (([*data, v], len(data)) for v in values)


def function_program(function: Callable) -> Program:
    def run(data, tape, rng, unseen):
        generator = RecordedGenerator(tape, rng, unseen)
        return function(data, generator)

    return Program(run, lambda first, second, place: _equal(first, second))


def _equal(first, second) -> bool:
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(_equal, first, second))
    try:
        return bool(np.array_equal(first, second, equal_nan=True))
    except TypeError:  # texts
        return bool(np.array_equal(first, second))


def audit_recorded_function(function: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of `function(data, generator)`."""
    p, kinds = params, params.neighbours.split(",")
    replays = Replays(function_program(function), p.transcripts, p.seed, p.epsilon)
    with _named(f"audit --noise recorded: {getattr(function, '__name__', 'the function')}"):
        if p.data is not None:
            pairs = [(p.neighbour, None)] if p.neighbour is not None else None
            replays.try_all(p.data, pairs or neighbours_of(p.data, p.values, kinds))
            covered = "all neighbours of the data" if pairs is None else "one neighbour"
            return replays.result(p.delta, covered)
        return _all_or_search(replays, p, p.records, p.values, kinds, p.delta, p.seed)


@contextmanager
def _named(code: str) -> Iterator[None]:
    """In this block what the code of others raises is wrong input, whose line names the code."""
    try:
        yield
    except (InputError, Diverged):
        raise
    except Exception as error:
        raise InputError(f"{code} raised {said(error)}") from error


def _all_or_search(replays, p, size, values, kinds, delta, seed, decode=None) -> RecordedAudit:
    """Every data set of `size` of the values, if they are few; else a search. `decode(numbers)`
    makes a record of normal variables; by default one of the values."""
    if decode is None:
        sets = len(values) ** size
        if sets * size * max(1, len(values) - 1) <= MOST_PAIRS:
            for data in product(values, repeat=size):
                replays.try_all(list(data), neighbours_of(list(data), values, kinds))
            return replays.result(delta, f"all {sets} data sets of {size} records")
        decode = 1, lambda x: values[min(int(ndtr(x[0]) * len(values)), len(values) - 1)]
    width, record = decode

    def value(rows):
        return np.array([_try_row(replays, row, size, width, record, kinds) for row in rows])

    generator = np.random.default_rng(seed)
    columns = (size + 1) * width + 1
    attack(value, columns, p.tries, generator, parents=min(20, max(1, p.tries // 4)), children=5)
    return replays.result(delta, f"a search over {size} records")


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
    seed: int = Field(0, ge=0, description="seed of the noise and of the search")
    tries: int = Field(SEARCHED, ge=4, le=10**6, description="pairs that a search tries")


def learner_program(make: Callable, joint: bool = False, last=None) -> Program:
    """A learner's decisions, the last of them in the context `last`. With `joint` privacy the
    decision for the user whose record changes is not compared."""

    def run(data, tape, rng, unseen):
        learner = make(RecordedNoise(tape), NotedGenerator(rng, unseen))
        context = getattr(learner, "takes_context", False)
        decisions = tape.decisions = []
        tape.most = max(tape.most, 100 * len(data))
        for record in data:
            given, reward = record if context else (None, record)
            x = (given,) if context else ()
            decisions.append(learner.act(*x))
            reward = np.array(reward, float) if np.ndim(reward) else float(reward)
            learner.update(decisions[-1], reward, *x)
        decisions.append(learner.act(last) if context else learner.act())
        return decisions

    def same(first, second, place):
        pairs = enumerate(zip(first, second, strict=True))
        return all(np.array_equal(a, b) for i, (a, b) in pairs if not (joint and i == place))

    return Program(run, same)


def audit_learner_class(make: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of any learner: `make(epsilon, noise, rng)` starts one, with a noise port
    and a NumPy generator; it has `act()` and `update(arm, reward)`, or `takes_context`,
    `act(context)` and `update(arm, reward, context)`, and then a record is [context, reward]."""
    p = params
    program = learner_program(lambda noise, rng: make(epsilon=p.epsilon, noise=noise, rng=rng))
    replays = Replays(program, p.transcripts, p.seed, p.epsilon)
    with _named(f"audit --learner: {getattr(make, '__name__', 'the class')}"):
        return _all_or_search(replays, p, p.records, p.values, ["replace"], p.delta, p.seed)


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
    options = {
        key: _value(x) if isinstance(x, str) else x for key, x in (p.model_extra or {}).items()
    }
    cls = entry.learner
    if "arms" not in options and hasattr(cls, "full_information"):
        options["arms"] = 2
    if "horizon" in inspect.signature(cls.from_user).parameters:
        options["horizon"] = p.horizon
    arguments, setting = cls.from_user(entry.setting, **options)

    def make(noise, rng):
        return cls(**arguments, epsilon=p.epsilon, noise=noise, rng=rng)

    delta = entry.notion.delta
    if delta is None:
        delta = getattr(setting, "delta", 0.0) if entry.notion.name != "pure" else 0.0
    values, decode = records_of(cls, setting, arguments)
    last = decode and decode[1](np.zeros(decode[0]))[0]
    program = learner_program(make, entry.notion.joint, last)
    replays = Replays(program, p.transcripts, p.seed, p.claim or p.epsilon)
    return _all_or_search(replays, p, p.horizon, values, ["replace"], delta, p.seed, decode)


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
    bound, cells = setting.bound, setting.contexts
    return (), (
        2,
        lambda x: (min(int(ndtr(x[0]) * cells), cells - 1), float(bound * (2 * share(x[1]) - 1))),
    )


def _value(text: str):
    """A number or list that a user typed; else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
