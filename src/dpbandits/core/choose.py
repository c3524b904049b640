"""Which algorithm, at my size: all private learners simulated on random instances.

    dpbandits.choose(arms=5, epsilon=1.0, horizon=5000, means=(0.01, 0.05))

Arms: Bernoulli, their means drawn uniformly from a range, so that no order of arms helps. With
`dim`: a Gaussian context for each arm and a dense signal. All algorithms meet the same instances.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.core.algorithms import algorithms, run
from dpbandits.core.errors import InputError, extras
from dpbandits.core.models import as_array, as_whole_number, parse_epsilon

LEVEL = 2.0  # standard errors of a paired difference below which two algorithms are level
NO_GAIN = 0.9  # of the regret of random play: above it little is learned
DELTA = 1e-6  # of the learners with contexts
LONG = 10**5  # rounds; for more there are a third of the instances
NUMBERS, FEWEST = 5 * 10**7, 5  # of contexts, in all instances together; instances with contexts
# where an algorithm is, how many instances, and what is simulated beside it
ARMS = ("dpbandits.stochastic.", 300, "thompson")
CONTEXTS = ("dpbandits.sparse.", 15, "sa-lasso")


@dataclass(frozen=True)
class Row:
    """The regret of one algorithm over the instances."""

    algorithm: str
    mean: float
    error: float  # the standard error of the mean
    p95: float  # the 95th percentile


@dataclass(frozen=True)
class Choice:
    about: str
    rows: tuple[Row, ...]  # private learners, best first
    beside: tuple[Row, Row]  # one without privacy, and random play
    level: tuple[str, ...]  # not to be told from the best
    use: str  # the line of code

    @property
    def best(self) -> str:
        return self.rows[0].algorithm

    def __str__(self) -> str:
        lines = [self.about, f"{'regret':<24}{'mean':>10}{'+-':>9}{'95%':>10}"]
        for row in (*self.rows, *self.beside):
            lines.append(f"{row.algorithm:<24}{row.mean:10.4g}{row.error:9.2g}{row.p95:10.4g}")
        if self.rows[0].mean > NO_GAIN * self.beside[1].mean:
            lines.append("too few rounds for this epsilon: little better than playing at random")
        if self.level:
            lines.append(f"level with the first: {', '.join(self.level)}")
        return "\n".join([*lines, f"use: {self.use}"])


@extras()
def choose(
    *, arms: int, epsilon: float, horizon: int, means: tuple[float, float] = (0.0, 1.0),
    dim: int | None = None, instances: int | None = None,
    progress: Callable[[float], Any] = lambda share: None,
) -> Choice:  # fmt: skip
    """Simulate every private learner on random instances; the best first.

    means: the range from which means of arms are drawn. dim: contexts of so many numbers.
    instances: 300, a third of it above 10^5 rounds; with contexts 15, fewer where these have many
    numbers, and fewer rounds than `horizon` where 5 instances take too long. progress: is told
    what share is done.
    """
    arms = as_whole_number(arms, "arms", least=2)
    horizon = as_whole_number(horizon, "horizon", least=1)
    epsilon = parse_epsilon(epsilon)
    low, high = as_array(means, "means", (2,)).tolist()
    if not 0 <= low < high <= 1 or math.isinf(epsilon):
        raise InputError("choose: allowed: means = (low, high) within 0 and 1, a finite epsilon")
    folder, usual, other = ARMS if dim is None else CONTEXTS
    rounds = horizon
    if dim is None:
        usual = usual if horizon <= LONG else usual // 3
    else:
        numbers = arms * as_whole_number(dim, "dim", least=2)  # a round
        if instances is None:
            rounds = max(1, min(horizon, NUMBERS // (FEWEST * numbers)))
        usual = min(usual, max(FEWEST, NUMBERS // (rounds * numbers)))
    count = usual if instances is None else as_whole_number(instances, "instances", least=2)
    names, rng = _private(folder), np.random.default_rng([arms, dim or 0])
    about = f"means from {low:g} to {high:g}" if dim is None else f"{dim} numbers a context"
    if dim is None:
        drawn = low + (high - low) * rng.random((count, arms))
        settings = [{"means": list(row)} for row in drawn]
        others = [other]
    else:
        settings = [_signal(rng, arms, dim) for _ in range(count)]
        others = [other, "random-arm"]
    regret = {name: np.empty(count) for name in [*names, *others]}
    for i, setting in enumerate(settings):
        for j, (name, column) in enumerate(regret.items()):
            e = epsilon if name in names else math.inf
            column[i] = run(name, setting, e, rounds, [i], [rounds]).regret[0, 0]
            progress((i + (j + 1) / len(regret)) / count)
    if dim is None:
        regret["random-arm"] = horizon * (drawn.max(axis=1) - drawn.mean(axis=1))
    names.sort(key=lambda name: regret[name].mean())
    best = names[0]
    away = {name: regret[name] - regret[best] for name in names[1:]}
    level = [n for n, x in away.items() if x.mean() <= LEVEL * x.std(ddof=1) / math.sqrt(count)]
    said = f"{horizon} rounds" if rounds == horizon else f"{rounds} rounds of {horizon}"
    keys = f"horizon={horizon}" if dim is None else f"d={dim}, delta={DELTA:g}, {_keys(best, dim)}"
    return Choice(
        f"{arms} arms, {about}, epsilon {epsilon:g}, {said}, {count} random instances",
        tuple(_row(name, regret[name]) for name in names),
        (_row(f"{other}, not private", regret[other]), _row("random play", regret["random-arm"])),
        tuple(level),
        f'dpbandits.learner("{best}", arms={arms}, epsilon={epsilon:g}, {keys})',
    )


def _private(folder: str) -> list[str]:
    """The private learners there that see the reward of the played arm alone."""
    return [
        name
        for name, entry in algorithms().items()
        if entry.private and entry.learner and entry.module.startswith(folder)
        and not getattr(entry.learner, "full_information", False)
    ]  # fmt: skip


def _keys(name: str, dim: int) -> str:
    """What else a learner is told, as it was simulated: a row for each arm, all numbers matter."""
    if name == "dp-linear":
        return "shared=True"
    bound = f", b_max={math.ceil(math.sqrt(dim))}"  # on the l1 norm of a signal of length 1
    return f"sparsity={dim}" + bound * (name == "fliphat")


def _signal(rng: np.random.Generator, arms: int, dim: int) -> dict[str, Any]:
    """Independent standard normal contexts, and a dense signal of length 1."""
    beta = rng.standard_normal(dim)
    beta /= np.linalg.norm(beta)
    sizes = {"arms": arms, "d": dim, "sparsity": dim, "true_sparsity": dim}
    return sizes | {"beta": beta.tolist(), "rho": 0.0, "delta": DELTA}


def _row(name: str, regret: np.ndarray) -> Row:
    error = regret.std(ddof=1) / math.sqrt(len(regret))
    return Row(name, float(regret.mean()), float(error), float(np.quantile(regret, 0.95)))
