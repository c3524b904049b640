"""What a paper's experiments run: algorithms, which are simulated, and studies, which are computed.

    # src/dpbandits/stochastic/my_algorithm.py
    @algorithm("my-algorithm", setting=StochasticSetting, source="our paper, Algorithm 1")
    def simulate(setting, epsilon, horizon, streams, checkpoints):
        ...
        return Trajectories(regret)

The module is named like the algorithm, with `_` for `-`: one name then finds one file.
"""

import importlib
import math
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel

from dpbandits.core.errors import InputError
from dpbandits.core.models import parse
from dpbandits.core.notions import PURE, Notion
from dpbandits.core.registry import Registry, key_of
from dpbandits.core.streams import streams_for
from dpbandits.core.trajectories import Trajectories, log_spaced


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
        return self.declared or PURE

    def real_epsilon(self, setting: BaseModel | dict, epsilon: float) -> float:
        """What a run's epsilon is worth, as its notion counts: the claim, or where that is false
        what holds instead (inf: no finite one)."""
        if not self.private:
            return math.inf
        if isinstance(setting, dict):
            setting = parse(self.setting, setting, "setting")
        return self.real(setting, epsilon) if self.real else epsilon

    @property
    def paper(self) -> str:
        return key_of(self.module)

    @property
    def summary(self) -> str:
        """The first line of the module's docstring."""
        return (importlib.import_module(self.module).__doc__ or "").strip().split("\n")[0]


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
        with declared(self.algorithms(params)):
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
    real(setting, epsilon): what that epsilon is worth where the claim is false.
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
def declared(names: Iterable[str]):
    """Inside, only these algorithms may be run: what is not named would not be provenance."""
    token = _allowed.set(frozenset(names))
    try:
        yield
    finally:
        _allowed.reset(token)


def algorithms() -> dict[str, Algorithm]:
    return ALGORITHMS.all()


def get_algorithm(name: str, where: str = "") -> Algorithm:
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
    seeds: range,
    checkpoints: np.ndarray | None = None,
) -> Trajectories:
    """Simulate one algorithm: the one door for the command line, the workflow and notebooks."""
    entry = get_algorithm(name)
    allowed = _allowed.get()
    if allowed is not None and entry.name not in allowed:
        raise InputError(f"'{name}' is run here; name it in runs=(...) of the study or the claim")
    if isinstance(setting, dict):
        setting = parse(entry.setting, setting, "setting")
    epsilon = float(check_epsilon(entry, epsilon, "epsilon"))  # one type: one compiled engine
    checkpoints = log_spaced(horizon) if checkpoints is None else np.asarray(checkpoints, np.int64)
    ascending = len(checkpoints) > 0 and bool(np.all(np.diff(checkpoints) > 0))
    if not ascending or checkpoints[0] < 1 or checkpoints[-1] > horizon:
        raise InputError(f"checkpoints: allowed: ascending rounds from 1 to the horizon {horizon}")
    streams = streams_for(entry.name, setting, epsilon, horizon, seeds)
    result = entry.simulate(setting, epsilon, horizon, streams, checkpoints)
    result.check(len(streams), len(checkpoints))
    return result
