"""The extension points: algorithms and studies register themselves by a decorator.

A paper is a sub-package whose `__init__` says `PAPER = Paper(...)`. Its modules are found by
looking into the folder, so that a new file needs no edit anywhere else:

    # src/dpbandits/stochastic/my_algorithm.py
    @algorithm("my-algorithm", setting=StochasticSetting, source="our paper, Algorithm 1")
    def simulate(setting, epsilon, horizon, streams, checkpoints):
        ...
        return Trajectories(regret)

The module is named like the algorithm, with `_` for `-`: one name then finds one file.
"""

import importlib
import math
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from pydantic import BaseModel

import dpbandits
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.models import parse
from dpbandits.core.streams import streams_for
from dpbandits.core.trajectories import Trajectories, log_spaced


@dataclass(frozen=True)
class Paper:
    """One reproduced paper."""

    key: str  # hu, fl, us, kl: in config, file names, figure names and claim ids
    title: str
    package: str


@dataclass(frozen=True)
class Algorithm:
    """A simulated algorithm; `claim` names the statement of its privacy (None: not private)."""

    name: str
    simulate: Callable[..., Trajectories]
    setting: type[BaseModel]
    source: str
    claim: str | None
    module: str

    @property
    def private(self) -> bool:
        return self.claim is not None

    @property
    def paper(self) -> str:
        return paper_of_module(self.module).key

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


_algorithms: dict[str, Algorithm] = {}
_studies: dict[str, Study] = {}


def algorithm(name: str, *, setting: type[BaseModel], source: str, claim: str | None = None):
    """Register `simulate(setting, epsilon, horizon, streams, checkpoints) -> Trajectories`.

    setting: the pydantic model of its settings. source: paper and algorithm number.
    claim: id of the claim that states its privacy, or "assumed: why"; None if it is not private.
    """

    def register(simulate):
        module = simulate.__module__
        if name in _algorithms and _algorithms[name].module != module:
            raise InputError(f"algorithm '{name}' is registered twice: {module}")
        _algorithms[name] = Algorithm(name, simulate, setting, source, claim, module)
        return simulate

    return register


def study(name: str, *, params: type[BaseModel]):
    """Register `compute(params) -> pandas.DataFrame` under `PAPER/name`, e.g. "kl/loss_vs_n"."""

    def register(compute):
        _studies[name] = Study(name, compute, params, compute.__module__)
        return compute

    return register


@cache
def papers() -> dict[str, Paper]:
    """Every sub-package that says PAPER, by key."""
    found = {}
    for info in pkgutil.iter_modules(dpbandits.__path__, "dpbandits."):
        paper = getattr(importlib.import_module(info.name), "PAPER", None) if info.ispkg else None
        if paper:
            found[paper.key] = paper
    order = ["hu", "fl", "us", "kl", *sorted(found)]
    return {key: found[key] for key in sorted(found, key=order.index)}


def paper_of_module(module: str) -> Paper:
    package = module.split(".")[1]
    return next(paper for paper in papers().values() if paper.package == package)


def modules_of(package_name: str) -> list[str]:
    """Names of the public modules of one of our packages."""
    package = importlib.import_module(f"dpbandits.{package_name}")
    names = [info.name for info in pkgutil.iter_modules(package.__path__)]
    return [f"{package.__name__}.{name}" for name in names if not name.startswith("_")]


@cache
def import_all(prefix: str = "") -> tuple[ModuleType, ...]:
    """Import the modules of the papers and of `audit`, so that all that can register has.

    Figures and claims stand in modules called figures* and claims*, which import little: asking
    for those alone saves every start of the workflow the import of all algorithms.
    """
    packages = [paper.package for paper in papers().values()] + ["audit"]
    names = [name for package in packages for name in modules_of(package)]
    wanted = [name for name in names if name.rsplit(".", 1)[1].startswith(prefix)]
    return tuple(importlib.import_module(name) for name in wanted)


def algorithms() -> dict[str, Algorithm]:
    import_all()
    return dict(_algorithms)


def studies() -> dict[str, Study]:
    import_all()
    return dict(_studies)


def get_algorithm(name: str, where: str = "algorithm") -> Algorithm:
    """The algorithm of that name; imports only its own module if it can."""
    module = _module_named(name)
    if module:
        importlib.import_module(module)
    if name not in _algorithms and name not in algorithms():
        raise InputError(
            f"{where}: unknown algorithm '{name}'; {nearest(name, sorted(_algorithms))}"
        )
    return _algorithms[name]


def _module_named(name: str) -> str | None:
    wanted = name.replace("-", "_")
    return next(
        (
            module
            for paper in papers().values()
            for module in modules_of(paper.package)
            if module.rsplit(".", 1)[1] == wanted
        ),
        None,
    )


def get_study(name: str, where: str = "study") -> Study:
    """The study of that name; imports only its own paper if it can."""
    paper = papers().get(name.split("/")[0])
    for module in modules_of(paper.package) if paper else ():
        importlib.import_module(module)
    if name not in _studies and name not in studies():
        raise InputError(f"{where}: unknown study '{name}'; {nearest(name, sorted(_studies))}")
    return _studies[name]


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
    if isinstance(setting, dict):
        setting = parse(entry.setting, setting, "setting")
    epsilon = float(check_epsilon(entry, epsilon, "epsilon"))  # one type: one compiled engine
    checkpoints = log_spaced(horizon) if checkpoints is None else np.asarray(checkpoints, np.int64)
    ascending = len(checkpoints) > 0 and bool(np.all(np.diff(checkpoints) > 0))
    if not ascending or checkpoints[0] < 1 or checkpoints[-1] > horizon:
        raise InputError(f"checkpoints: allowed: ascending rounds from 1 to the horizon {horizon}")
    streams = streams_for(name, setting, epsilon, horizon, seeds)
    result = entry.simulate(setting, epsilon, horizon, streams, checkpoints)
    result.check(len(streams), len(checkpoints))
    return result
