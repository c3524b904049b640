"""Which algorithm, at my size: all private learners simulated on random instances.

    dpbandits.choose(arms=5, epsilon=1.0, horizon=5000, means=(0.01, 0.05))

Arms: Bernoulli, their means drawn uniformly from a range, so that no order of arms helps. With
`dim`: a Gaussian context for each arm and a dense signal. All algorithms meet the same instances.
"""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpbandits.core.algorithms import Engine, algorithms, run
from dpbandits.core.choose_answer import Answers
from dpbandits.core.choose_answer import choose as answers
from dpbandits.core.errors import InputError, extras
from dpbandits.core.models import Count, Epsilon, Model, Range, Several, parse

LEVEL = 2.0  # standard errors of a paired difference below which two algorithms are level
PREFERRED = "na-imed"  # if it is level with the best: a bound on its regret is proved
NO_GAIN = 0.9  # of the regret of random play: above it little is learned
DELTA = 1e-6  # of the learners with contexts
SECONDS, FEWEST = 40.0, 5  # of one core, compiling included; instances, however long they take
NUMBERS = 5 * 10**7  # of contexts, in the fewest instances together
QUICK = ("dp-linear", "sa-lasso", "random-arm")  # their faster versions compile next to nothing
LEFT_OUT = "fliphat"  # of long runs: it compiles for a minute, and dp-signs has less regret


@dataclass(frozen=True)
class Problem:
    folder: str  # where its algorithms are
    short: int  # rounds up to which the plain algorithms take less time than to compile faster ones
    most: int  # instances
    most_short: int  # in short runs
    beside: str  # what is simulated, too, without privacy


ARMS = Problem("dpbandits.stochastic.", 1000, 300, 100, "thompson")
CONTEXTS = Problem("dpbandits.sparse.", 10**4, 15, 15, "sa-lasso")


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
    notes: tuple[str, ...]
    use: str  # the line of code

    @property
    def best(self) -> str:
        return PREFERRED if PREFERRED in self.level else self.rows[0].algorithm

    def __str__(self) -> str:
        lines = [self.about, f"{'regret':<24}{'mean':>10}{'+-':>9}{'95%':>10}"]
        for row in (*self.rows, *self.beside):
            lines.append(f"{row.algorithm:<24}{row.mean:10.4g}{row.error:9.2g}{row.p95:10.4g}")
        if self.rows[0].mean > NO_GAIN * self.beside[1].mean:
            lines.append("too few rounds for this epsilon: little better than playing at random")
        if self.level:
            lines.append(f"within {LEVEL:g} standard errors of the first: {', '.join(self.level)}")
        lines.extend(self.notes)
        return "\n".join([*lines, f"import dpbandits; learner = {self.use}"])


class Sizes(Model):
    """What `choose` takes."""

    arms: Several
    horizon: Count
    epsilon: Epsilon
    means: Range
    dim: Several | None
    instances: Several | None


@extras()
def choose(
    *, arms: int, epsilon: float, horizon: int, means: tuple[float, float] = (0.0, 1.0),
    dim: int | None = None, instances: int | None = None, goal: str = "regret",
    confidence: float = 0.95, progress: Callable[[float], Any] = lambda share: None,
) -> "Choice | Answers":  # fmt: skip
    """Simulate every private learner on random instances; the best first. goal: "regret", or
    "best-arm" for the rules that end when they know the best arm with this confidence.

    means: the range from which means of arms are drawn. dim: contexts of so many numbers.
    progress: is told what share is done. instances: so many, of the faster versions of the
    algorithms; left out, as many as are done in 40 s of one core, compiling included, but 5 at
    least, and 300 at most (100 up to 1,000 rounds; with contexts 15, and fewer rounds than
    `horizon` where 5 instances take too long). Short runs compile nothing.
    """
    started = time.process_time()
    given = {"arms": arms, "horizon": horizon, "epsilon": epsilon, "means": means, "dim": dim}
    if goal == "best-arm" and dim is None:
        del given["dim"]
        return answers(progress, **given, confidence=confidence, instances=instances)
    if goal != "regret":
        raise InputError("choose: goal: allowed: regret; best-arm, without dim")
    sizes = parse(Sizes, given | {"instances": instances}, "choose")
    arms, horizon, epsilon, (low, high) = sizes.arms, sizes.horizon, sizes.epsilon, sizes.means
    dim, instances = sizes.dim, sizes.instances
    if not 0 <= low < high <= 1 or math.isinf(epsilon):
        raise InputError("choose: allowed: means = (low, high) within 0 and 1, a finite epsilon")
    problem = ARMS if dim is None else CONTEXTS
    free, rounds = instances is None, horizon
    if dim is not None:
        numbers = arms * dim  # a round
        rounds = max(1, min(horizon, NUMBERS // (FEWEST * numbers))) if free else horizon
    short = free and rounds <= problem.short
    usual = problem.most_short if short else problem.most
    count = usual if instances is None else instances
    names, rng = private(problem.folder), np.random.default_rng([arms, dim or 0])
    notes = []
    if free and not short and LEFT_OUT in names:
        names.remove(LEFT_OUT)
        why = f"above {problem.short} rounds, since it compiles for a minute"
        notes.append(f"{LEFT_OUT} is left out {why}; give a number of instances to have it")
    if dim is None:
        about, others = f"means from {low:g} to {high:g}", [problem.beside]
        drawn = low + (high - low) * rng.random((count, arms))
        settings = [{"means": list(row)} for row in drawn]
    else:
        about, others = f"{dim} numbers a context", [problem.beside, "random-arm"]
        settings = [_signal(rng, arms, dim) for _ in range(count)]
    regret = {name: np.empty(count) for name in [*names, *others]}
    progress(0.0)
    spent, done = 0.0, 0
    while done < count and (not free or done < FEWEST or spent < SECONDS):
        for j, (name, column) in enumerate(regret.items(), 1):
            engine: Engine = "plain" if short and name not in QUICK else "fast"
            simulate = _simulate if name in names else _beside
            e = epsilon if name in names else math.inf
            column[done] = simulate(name, json.dumps(settings[done]), e, rounds, done, engine)
            spent = time.process_time() - started if free else 0.0
            share = (done + j / len(regret)) / count
            progress(min(1.0, max(share, spent / SECONDS)))
        done += 1
    progress(1.0)
    regret = {name: column[:done] for name, column in regret.items()}
    if dim is None:
        drawn = drawn[:done]
        gaps = drawn.max(axis=1)[:, None] - drawn
        regret["random-arm"] = horizon * gaps.mean(axis=1)
        turns = [
            n for n in names if np.all(abs(regret[n] - regret["random-arm"]) <= gaps.sum(axis=1))
        ]
        notes += [f"{n} is random play: no phase of it ends before the horizon" for n in turns]
    names.sort(key=lambda name: regret[name].mean())
    best = names[0]
    away = {name: regret[name] - regret[best] for name in names[1:]}
    level = [n for n, x in away.items() if x.mean() <= LEVEL * x.std(ddof=1) / math.sqrt(done)]
    if PREFERRED in level:
        best = PREFERRED
        notes.append(f"{best} is taken: it is level, and its regret has the least proved bound")
    said = f"{horizon} rounds" if rounds == horizon else f"{rounds} rounds of {horizon}"
    keys = f"horizon={horizon}" if dim is None else f"d={dim}, delta={DELTA:g}, {_keys(best, dim)}"
    beside = _row(f"{problem.beside}, not private", regret[problem.beside])
    return Choice(
        f"{arms} arms, {about}, epsilon {epsilon:g}, {said}, {done} random instances",
        tuple(_row(name, regret[name]) for name in names),
        (beside, _row("random play", regret["random-arm"])),
        tuple(level),
        tuple(notes),
        f'dpbandits.learner("{best}", arms={arms}, epsilon={epsilon:g}, {keys})',
    )


def _simulate(
    name: str, setting: str, epsilon: float, rounds: int, seed: int, engine: Engine
) -> float:
    """The regret of one run; setting: as JSON."""
    found = run(name, json.loads(setting), epsilon, rounds, [seed], [rounds], engine=engine)
    return float(found.regret[0, 0])


# what is not private runs once for all values of epsilon that are asked for in turn
_beside = lru_cache(maxsize=4096)(_simulate)


def private(folder: str) -> list[str]:
    """The private learners there that see the reward of the played arm alone, and have no end."""
    return [
        name
        for name, entry in algorithms().items()
        if entry.private and entry.learner and entry.module.startswith(folder)
        and not getattr(entry.learner, "full_information", False)
        and not getattr(entry.learner, "ends", False)
    ]  # fmt: skip


def _keys(name: str, dim: int) -> str:
    """What else a learner is told, as it was simulated: a row for each arm, all numbers matter."""
    if name == "dp-linear":
        return 'shared=True, reward_range=(-2, 2), rewards="clip"'  # two sd of x'beta, as simulated
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
