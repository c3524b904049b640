"""Algorithms, and how one is simulated.

    # src/dpbandits/stochastic/my_algorithm.py
    @algorithm("my-algorithm", setting=StochasticSetting, source="our paper, Algorithm 1")
    def simulate(setting, epsilon, horizon, streams, checkpoints):
        ...
        return Trajectories(regret)

The module is named like the algorithm, with `_` for `-`, so that a name leads to its file. The file
is the algorithm as it is printed, as plain code. There may be a fast version of the same signature
in engine/my_algorithm.py: it is used by default, and a test compares it with the plain one.
"""

import importlib
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from pydantic import BaseModel

from dpbandits.core.errors import InputError, extras
from dpbandits.core.models import Count, Epsilon, Model, parse, shown, whole
from dpbandits.core.notions import NOT_PRIVATE, PURE, Notion
from dpbandits.core.registry import Place, Registry, modules_in
from dpbandits.core.streams import streams_for
from dpbandits.core.trajectories import Trajectories, log_spaced

Engine = Literal["fast", "plain"]


@dataclass(frozen=True)
class Algorithm:
    """A simulated algorithm; `claim` names the statement of its privacy (None: not private).

    notion: what its epsilon promises.
    """

    name: str
    simulate: Callable[..., Trajectories]
    setting: type[BaseModel]
    source: str
    claim: str | None
    module: str
    notion: Notion = PURE
    real: Callable[[Any, float], float] | None = None
    learner: Any = None  # the class that is the algorithm, if it can be deployed (core.learner)
    proof: str = ""  # what proves the privacy of its default setting
    instead: str = ""  # what to use where `real` is larger than claimed
    theorem: str = ""  # what proves that its regret has the least bound that is known
    uses: tuple[str, ...] = ()  # other algorithms that its simulation runs
    fast: Callable[..., Trajectories] | None = None  # made of the learner; else see `engine`

    @property
    def package(self) -> str:
        return self.module.rpartition(".")[0]

    @property
    def private(self) -> bool:
        return self.claim is not None

    def delta(self, setting: BaseModel) -> float:
        """The delta that a run promises."""
        delta = self.notion.delta
        return getattr(setting, "delta", 0.0) if delta is None else delta

    def real_epsilon(self, setting: BaseModel | dict, epsilon: float) -> float:
        """The epsilon of its notion that a run really has: as claimed, or where the claim is false
        what holds instead (inf if no finite epsilon does)."""
        if not self.private:
            return math.inf
        if isinstance(setting, dict):
            setting = parse(self.setting, setting, "setting")
        return self.real(setting, epsilon) if self.real else epsilon

    def warning(self, setting: BaseModel | dict, epsilon: float) -> str:
        """One line if a run is not private as claimed: what holds, and what to use; else ""."""
        real = self.real_epsilon(setting, epsilon)
        if not self.private or real <= epsilon:
            return ""
        holds = f"only epsilon = {real:g}" if math.isfinite(real) else "no finite epsilon"
        promised = f"{self.name} is not private as claimed: {epsilon:g} is promised, {holds} holds"
        return f"{promised}; use {self.instead}" if self.instead else promised

    @property
    def as_claimed(self) -> str:
        """Whether it is private as claimed, in a few words; where that depends on a variant or a
        preset: those for which it is, the default first, and what holds of the others."""
        if not self.private:
            return "not private"
        if not self.real:
            return "yes"
        key = next(key for key in ("variant", "preset") if key in self.setting.model_fields)
        field, holds = self.setting.model_fields[key], []
        for value in sorted(get_args(field.annotation), key=lambda v: v != field.default):
            real = self.real_epsilon(self.setting.model_construct(**{key: value}), 1.0)
            if real <= 1.0:
                holds.append(f"{value}: yes")
            else:
                holds.append(
                    f"{value}: no, {f'{real:g} epsilon' if real < math.inf else 'not at all'}"
                )
        return "; ".join(holds)

    @property
    def engine(self) -> str:
        """The module of the fast version; "" if there is none."""
        package, _, name = self.module.rpartition(".")
        engine = f"{package}.engine.{name}"
        return engine if package and engine in modules_in(f"{package}.engine") else ""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules where its code begins: the plain one, the engine if there is one, and those
        of what it uses."""
        used = (module for name in self.uses for module in get_algorithm(name).modules)
        return (self.module, *([self.engine] if self.engine else []), *used)

    def simulation(self, engine: Engine = "fast") -> Callable[..., Trajectories]:
        """The function that simulates it."""
        if engine == "fast" and self.engine:
            return importlib.import_module(self.engine).simulate
        return (engine == "fast" and self.fast) or self.simulate


ALGORITHMS: Registry[Algorithm] = Registry.of_group("algorithm", "dpbandits.algorithms")


def algorithm(
    name: str, *, setting: type[BaseModel], source: str, claim: str | None = None,
    notion: Notion = PURE, real: Callable[[Any, float], float] | None = None, learner: Any = None,
    proof: str = "", instead: str = "", theorem: str = "", uses: tuple[str, ...] = (),
    fast: Callable | None = None,
):  # fmt: skip
    """Register `simulate(setting, epsilon, horizon, streams, checkpoints) -> Trajectories`.

    setting: the pydantic model of its settings. source: paper and algorithm number.
    claim: id of the claim that states its privacy, or "assumed: why"; None if it is not private.
    notion: of core.notions, what the epsilon of a run promises; the default is the strictest.
    real(setting, epsilon): the epsilon that really holds where the claim is false.
    learner: the class behind `simulate`, with `act` and `update`, if it can be deployed.
    proof: what proves the privacy of the default setting, if that is not the claim.
    instead: what to use where the claim is false.
    theorem: what proves that its regret has the least bound that is known, if it has.
    uses: algorithms whose code is in its simulation beside what it imports.
    """

    if not isinstance(claim, str | None) or not isinstance(notion, Notion):
        raise InputError(f"algorithm '{name}': claim, notion: allowed: a text, one of core.notions")
    if claim is None:
        notion = NOT_PRIVATE

    def entry(simulate):
        return Algorithm(
            name, simulate, setting, source, claim, simulate.__module__, notion, real, learner,
            proof or (claim or "").removeprefix("assumed: proved in "), instead, theorem, uses,
            fast,
        )  # fmt: skip

    return ALGORITHMS.register(name, entry)


_allowed: ContextVar[frozenset[str] | None] = ContextVar("allowed", default=None)


@contextmanager
def allow_only(names: Iterable[str]):
    """In this block `run` refuses other algorithms, whose code is not in the digest of the job."""
    token = _allowed.set(frozenset(names))
    try:
        yield
    finally:
        _allowed.reset(token)


def algorithms() -> dict[str, Algorithm]:
    """Every registered algorithm, by name."""
    return ALGORITHMS.all()


def get_algorithm(name: str, where: str = "") -> Algorithm:
    """The algorithm of that name, in any case; an unknown name raises InputError."""
    return ALGORITHMS.get(name, where)


def check_epsilon(algorithm: Algorithm, epsilon: float, where: str) -> float:
    """Non-private algorithms take only epsilon = inf."""
    if not algorithm.private and not math.isinf(epsilon):
        raise InputError(f"{where} = {epsilon:g}: '{algorithm.name}' is not private; allowed: inf")
    return epsilon


class Run(Model):
    """What `run` takes besides names, seeds and rounds."""

    epsilon: Epsilon
    horizon: Count
    engine: Engine


def run(
    name: str,
    setting: dict | BaseModel,
    epsilon: float,
    horizon: int,
    seeds: Iterable[int],
    checkpoints: Iterable[int] | None = None,
    *,
    engine: Engine = "fast",
) -> Trajectories:
    """Simulate one algorithm; the command line, the workflow and notebooks all call this.

    setting: its keys, or its model. epsilon: above 0; inf for algorithms that are not private.
    horizon: rounds. seeds: distinct whole numbers from 0. checkpoints: the rounds at which regret
    is recorded, ascending; by default 50 log-spaced ones that end in the horizon. engine: "plain"
    runs the algorithm's own file even where there is a faster version of it.
    Returns regret of shape (seeds, checkpoints), cumulative, in units of reward (US: the error of
    one action after t rounds). Wrong input raises InputError.
    """
    entry = get_algorithm(name)
    allowed = _allowed.get()
    if allowed is not None and entry.name not in allowed:
        raise InputError(f"'{name}' is run here; name it in runs=(...) of the study or the claim")
    if not isinstance(setting, entry.setting):
        setting = parse(entry.setting, setting, "setting")
    own = parse(Run, {"epsilon": epsilon, "horizon": horizon, "engine": engine}, "run")
    epsilon, horizon = check_epsilon(entry, own.epsilon, "epsilon"), own.horizon
    seeds = _as_seeds(seeds)
    checkpoints = _as_rounds(log_spaced(horizon) if checkpoints is None else checkpoints, horizon)
    simulate = entry.simulation(own.engine)
    streams = streams_for(entry.name, setting, epsilon, horizon, seeds)
    result = simulate(setting, epsilon, horizon, streams, checkpoints)
    _check_result(entry, result, len(seeds), len(checkpoints))
    return result


@extras()
def run_and_warn(
    name: str,
    setting: dict | BaseModel,
    epsilon: float = math.inf,
    horizon: int = 0,  # and no seeds: refused, both have to be given
    seeds: Iterable[int] = (),
    checkpoints: Iterable[int] | None = None,
    *,
    engine: Engine = "fast",
) -> Trajectories:
    """`dpbandits.run`: as `run`, and one warning if the algorithm is not private as claimed."""
    result = run(name, setting, epsilon, horizon, seeds, checkpoints, engine=engine)
    if text := get_algorithm(name).warning(setting, float(epsilon)):
        warnings.warn(text, stacklevel=3)
    return result


def _as_seeds(seeds: Iterable[int]) -> range | tuple[int, ...]:
    if not isinstance(seeds, Iterable):
        raise InputError(f"seeds = {shown(seeds)}: allowed: whole numbers, e.g. range(5)")
    given = seeds if isinstance(seeds, range) else tuple(seeds)
    if not given:
        raise InputError("seeds: none given; allowed: at least one whole number from 0")
    try:
        least = min(map(whole, (given[0], given[-1]) if isinstance(given, range) else given))
    except (TypeError, ValueError):
        least = -1
    if least < 0:
        raise InputError("seeds: allowed: whole numbers from 0")
    counts = {} if isinstance(given, range) else Counter(given)
    if repeated := [seed for seed, n in counts.items() if n > 1]:
        raise InputError(f"seeds: {repeated[0]} is repeated; allowed: distinct whole numbers")
    return given


def _as_rounds(checkpoints: Iterable[int], horizon: int) -> np.ndarray:
    rounds = np.asarray(checkpoints)
    whole = rounds.ndim == 1 and np.issubdtype(rounds.dtype, np.integer) and len(rounds) > 0
    if not whole or (np.diff(rounds) <= 0).any() or rounds[0] < 1 or rounds[-1] > horizon:
        raise InputError(f"checkpoints: allowed: ascending rounds from 1 to the horizon {horizon}")
    return rounds.astype(np.int64)


def _check_result(entry: Algorithm, result: Any, runs: int, checkpoints: int) -> None:
    """Refuse a result of another type or shape, naming the file and line of the algorithm."""
    try:
        if not isinstance(result, Trajectories):
            raise TypeError(f"returned {type(result).__name__}; allowed: Trajectories")
        result.check(runs, checkpoints)
    except (TypeError, ValueError) as error:
        where = f"{Place.of(entry.simulate)}: '{entry.name}'"  # it reads sources, which takes time
        raise InputError(f"{where}: {error}") from None
