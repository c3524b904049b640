"""What a paper's experiments run: algorithms, which are simulated, and studies, which are computed.

    # src/dpbandits/stochastic/my_algorithm.py
    @algorithm("my-algorithm", setting=StochasticSetting, source="our paper, Algorithm 1")
    def simulate(setting, epsilon, horizon, streams, checkpoints):
        ...
        return Trajectories(regret)

The module is named like the algorithm, with `_` for `-`: one name then finds one file. That file is
the algorithm as it is printed, as plain code. A fast version of the same name and signature may
stand beside it, in engine/my_algorithm.py: it is used by default, and compared with the plain one
by a test.
"""

import importlib
import math
import numbers
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np
from pydantic import BaseModel

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.models import parse, parse_epsilon, shown
from dpbandits.core.notions import NOT_PRIVATE, PURE, Notion
from dpbandits.core.registry import Place, Registry, key_of
from dpbandits.core.streams import streams_for
from dpbandits.core.trajectories import Trajectories, check_memory, log_spaced

Engine = Literal["fast", "plain"]


@cache
def engine_of(module: str) -> str:
    """`paper.engine.name` for the module `paper.name`, if it exists; else ""."""
    package, _, name = module.rpartition(".")
    folder = f"{package}.engine"
    found = package and find_spec(folder) and find_spec(f"{folder}.{name}")
    return f"{folder}.{name}" if found else ""


@dataclass(frozen=True)
class Algorithm:
    """A simulated algorithm; `claim` names the statement of its privacy (None: not private)."""

    name: str
    simulate: Callable[..., Trajectories]
    setting: type[BaseModel]
    source: str
    claim: str | None
    module: str
    declared: Notion | None = None
    real: Callable[[Any, float], float] | None = None

    @property
    def private(self) -> bool:
        return self.claim is not None

    @property
    def notion(self) -> Notion:
        """What its epsilon promises; undeclared: the strictest notion, pure privacy."""
        return (self.declared or PURE) if self.private else NOT_PRIVATE

    def real_epsilon(self, setting: BaseModel | dict, epsilon: float) -> float:
        """The epsilon a run really has, as its notion counts: as claimed, or where that is false
        what holds instead (inf: no finite one)."""
        if not self.private:
            return math.inf
        if isinstance(setting, dict):
            setting = parse(self.setting, setting, "setting")
        return self.real(setting, epsilon) if self.real else epsilon

    @property
    def engine(self) -> str:
        """The module of the fast version; "" if there is none."""
        return engine_of(self.module)

    @property
    def modules(self) -> tuple[str, ...]:
        """Where its code begins: the plain file, and the engine if there is one."""
        return (self.module, self.engine) if self.engine else (self.module,)

    def simulation(self, engine: "Engine" = "fast") -> Callable[..., Trajectories]:
        """The function that simulates it: the fast one if there is one, or the plain one."""
        if engine == "fast" and self.engine:
            return importlib.import_module(self.engine).simulate
        return self.simulate

    @property
    def paper(self) -> str:
        return key_of(self.module)


@dataclass(frozen=True)
class Study:
    """A computation that is not a simulation: typed parameters in, one table out."""

    name: str
    compute: Callable[[Any], Any]
    params: type[BaseModel]
    module: str
    runs: tuple[str, ...] | Callable[[Any], Iterable[str]] = ()

    def algorithms(self, params: dict[str, Any]) -> tuple[str, ...]:
        """The algorithms that it runs, by name: those it lists, or that its parameters name."""
        if callable(self.runs):
            return tuple(dict.fromkeys(self.runs(parse(self.params, params, self.name))))
        return self.runs

    def table(self, params: dict[str, Any], where: str = "params"):
        with allow_only(self.algorithms(params)):
            return self.compute(parse(self.params, params, where))


ALGORITHMS: Registry[Algorithm] = Registry("algorithm")
STUDIES: Registry[Study] = Registry("study", "studies")


def algorithm(
    name: str, *, setting: type[BaseModel], source: str, claim: str | None = None,
    notion: Notion | None = None, real: Callable[[Any, float], float] | None = None,
):  # fmt: skip
    """Register `simulate(setting, epsilon, horizon, streams, checkpoints) -> Trajectories`.

    setting: the pydantic model of its settings. source: paper and algorithm number.
    claim: id of the claim that states its privacy, or "assumed: why"; None if it is not private.
    notion: of core.notions, what the epsilon of a run promises; left out: PURE.
    real(setting, epsilon): the epsilon that really holds where the claim is false.
    """

    def register(simulate):
        module = simulate.__module__
        entry = Algorithm(name, simulate, setting, source, claim, module, notion, real)
        ALGORITHMS.add(name, entry, simulate)
        return simulate

    return register


def study(name: str, *, params: type[BaseModel], runs=()):
    """Register `compute(params) -> pandas.DataFrame` under `PAPER/name`, e.g. "kl/loss_vs".

    runs: the names of the algorithms that it runs, or a function of the params that gives them: an
    edit of any of them then makes the table anew.
    """

    def register(compute):
        STUDIES.add(name, Study(name, compute, params, compute.__module__, runs), compute)
        return compute

    return register


_allowed: ContextVar[frozenset[str] | None] = ContextVar("allowed", default=None)


@contextmanager
def allow_only(names: Iterable[str]):
    """Within this block `run` refuses others: the digest of the job does not cover their code."""
    token = _allowed.set(frozenset(names))
    try:
        yield
    finally:
        _allowed.reset(token)


def only_declared(tables: Callable[[str], Any], reads: Iterable[str], who: str):
    """The tables, without those that `who` (a claim, a figure) does not name in its `reads`."""

    def read(name: str):
        if name not in reads:
            raise InputError(f"{who} reads table '{name}'; name it in its `reads`")
        return tables(name)

    return read


def algorithms() -> dict[str, Algorithm]:
    """Every registered algorithm, by name."""
    return ALGORITHMS.all()


def get_algorithm(name: str, where: str = "") -> Algorithm:
    """The algorithm of that name, in any case; an unknown name raises InputError."""
    return ALGORITHMS.get(name, where)


def get_study(name: str, where: str = "") -> Study:
    return STUDIES.get(name, where)


def check_epsilon(algorithm: Algorithm, epsilon: float, where: str) -> float:
    """Non-private algorithms take only epsilon = inf."""
    if not algorithm.private and not math.isinf(epsilon):
        raise InputError(f"{where} = {epsilon:g}: '{algorithm.name}' is not private; allowed: inf")
    return epsilon


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
    """Simulate one algorithm: the one way in for the command line, the workflow and notebooks.

    setting: its keys, or the model of them. epsilon: above 0; inf for algorithms that are not
    private. horizon: rounds. seeds: distinct whole numbers from 0. checkpoints: rounds at which the
    regret is wanted, ascending; left out: 50 log-spaced ones that end in the horizon.
    engine: "plain" runs the algorithm's own file even where there is a faster version of it.
    Returns regret of shape (seeds, checkpoints), cumulative, in units of reward (US: the error of
    one action after t rounds). Wrong input raises InputError.
    """
    entry = get_algorithm(name)
    allowed = _allowed.get()
    if allowed is not None and entry.name not in allowed:
        raise InputError(f"'{name}' is run here; name it in runs=(...) of the study or the claim")
    if not isinstance(setting, entry.setting):
        setting = parse(entry.setting, setting, "setting")
    if engine not in get_args(Engine):
        raise InputError(f"engine = {shown(engine)}: {nearest(engine, get_args(Engine))}")
    epsilon = check_epsilon(entry, _number(epsilon, "epsilon"), "epsilon")
    horizon = _whole(horizon, "horizon", least=1)
    seeds = _distinct(seeds)
    checkpoints = _ascending(log_spaced(horizon) if checkpoints is None else checkpoints, horizon)
    check_memory(len(seeds), len(checkpoints))
    streams = streams_for(entry.name, setting, epsilon, horizon, seeds)
    result = entry.simulation(engine)(setting, epsilon, horizon, streams, checkpoints)
    return _checked(entry, result, len(seeds), len(checkpoints))


def _number(value: Any, where: str) -> float:
    """A privacy parameter that is a number already, as a float: one type, one compiled engine."""
    if not isinstance(value, numbers.Real):
        raise InputError(f"{where} = {shown(value)}: allowed: a number above 0, or inf")
    return parse_epsilon(value, where)


def _whole(value: Any, where: str, least: int) -> int:
    exact = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not (exact and least <= value <= 2**53):
        raise InputError(f"{where} = {shown(value)}: allowed: a whole number from {least} to 2^53")
    return int(value)


def _distinct(seeds: Iterable[int]) -> range | tuple[int, ...]:
    if isinstance(seeds, range):
        ends = [seeds[0], seeds[-1]] if seeds else []
    else:
        ends = seeds = tuple(seeds)
    for seed in ends:
        _whole(seed, "seeds", least=0)
    if not len(seeds):
        raise InputError("seeds: none given; allowed: at least one whole number from 0")
    repeated = () if isinstance(seeds, range) else [s for s, n in Counter(seeds).items() if n > 1]
    if repeated:
        raise InputError(f"seeds: {repeated[0]} is repeated; allowed: distinct whole numbers")
    return seeds


def _ascending(checkpoints: Iterable[int], horizon: int) -> np.ndarray:
    rounds = np.asarray(checkpoints)
    whole = rounds.ndim == 1 and np.issubdtype(rounds.dtype, np.integer) and len(rounds) > 0
    if not whole or (np.diff(rounds) <= 0).any() or rounds[0] < 1 or rounds[-1] > horizon:
        raise InputError(f"checkpoints: allowed: ascending rounds from 1 to the horizon {horizon}")
    return rounds.astype(np.int64)


def _checked(entry: Algorithm, result: Any, runs: int, checkpoints: int) -> Trajectories:
    """What an algorithm returned; if it is not what is expected, its file and line."""
    where = f"{Place.of(entry.simulate)}: '{entry.name}'"
    if not isinstance(result, Trajectories):
        raise InputError(f"{where} returned {type(result).__name__}; allowed: Trajectories")
    try:
        result.check(runs, checkpoints)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    return result
