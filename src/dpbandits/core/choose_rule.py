"""`dpbandits.choose(goal="best-arm")`: the rules that end by themselves, at one's size.

Arms: Bernoulli, their means drawn uniformly from a range. All rules meet the same instances.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.core.algorithms import algorithms, run

SECONDS, FEWEST = 40.0, 5  # of one core, compiling included; instances, however long they take
MOST = 100  # instances


@dataclass(frozen=True)
class Row:
    """A number of one algorithm over the instances: here the rounds that a rule needs, no more than
    the horizon; of core.choose the regret."""

    algorithm: str
    mean: float
    error: float  # the standard error of the mean
    p95: float  # the 95th percentile

    @classmethod
    def of(cls, algorithm: str, values: np.ndarray, *more: float):
        error = values.std(ddof=1) / math.sqrt(len(values))
        numbers = float(values.mean()), float(error), float(np.quantile(values, 0.95))
        return cls(algorithm, *numbers, *more)


@dataclass(frozen=True)
class Rule(Row):
    ended: float  # the share of the instances in which it ended
    wrong: float  # the share in which its answer was not the best arm


@dataclass(frozen=True)
class RuleChoice:
    about: str
    rows: tuple[Rule, ...]  # private rules, the fewest rounds first
    beside: Rule  # one without privacy
    use: str  # the line of code

    @property
    def best(self) -> str:
        return self.rows[0].algorithm

    def __str__(self) -> str:
        head = f"{'rounds':<24}{'mean':>10}{'+-':>9}{'95%':>10}{'ended':>8}{'wrong':>8}"
        lines = [self.about, head]
        for row in (*self.rows, self.beside):
            numbers = f"{row.mean:10.4g}{row.error:9.2g}{row.p95:10.4g}"
            lines.append(f"{row.algorithm:<24}{numbers}{row.ended:8.0%}{row.wrong:8.0%}")
        return "\n".join([*lines, f"import dpbandits; learner = {self.use}"])


def choose_rule(sizes, progress: Callable[[float], Any]) -> RuleChoice:
    """As `core.choose.choose`, which calls it."""
    started, (low, high), horizon = time.process_time(), sizes.means, sizes.horizon
    names = {n: e for n, e in algorithms().items() if "confidence" in e.setting.model_fields}
    rng = np.random.default_rng([sizes.arms, 1])
    found: dict[str, list] = {name: [] for name in names}
    most, free = sizes.instances or MOST, sizes.instances is None
    done = 0
    while done < most and not (free and done >= FEWEST and time.process_time() - started > SECONDS):
        means = low + (high - low) * rng.random(sizes.arms)
        setting = {"means": means.tolist(), "confidence": sizes.confidence}
        for name, entry in names.items():
            epsilon = sizes.epsilon if entry.private else math.inf
            extras = run(name, setting, epsilon, horizon, [done], [horizon]).extras
            ended, answer = int(extras["stopped"][0]), int(extras["answer"][0])
            known = answer >= 0
            found[name].append((ended or horizon, known, known and answer != means.argmax()))
        done += 1
        spent = (time.process_time() - started) / SECONDS if free else 0.0
        progress(min(1.0, max(done / most, spent)))
    progress(1.0)
    rules = {name: _rule(name, np.array(rows, float)) for name, rows in found.items()}
    private = sorted((rules[n] for n in names if names[n].private), key=lambda rule: rule.mean)
    beside = next(rules[n] for n in names if not names[n].private)
    keys = f"arms={sizes.arms}, epsilon={sizes.epsilon:g}, confidence={sizes.confidence:g}"
    learner = next(rule.algorithm for rule in private if names[rule.algorithm].learner)
    return RuleChoice(
        f"{sizes.arms} arms, means from {low:g} to {high:g}, epsilon {sizes.epsilon:g}, confidence "
        f"{sizes.confidence:g}, up to {horizon} rounds, {done} random instances",
        tuple(private), beside, f'dpbandits.learner("{learner}", {keys})',
    )  # fmt: skip


def _rule(name: str, rows: np.ndarray) -> Rule:
    rounds, ended, wrong = rows.T
    return Rule.of(name, rounds, float(ended.mean()), float(wrong.mean()))
