"""Which algorithm, at my size: all private learners of a problem, simulated on random instances.

    dpbandits.choose(arms=5, epsilon=1.0, horizon=5000, means=(0.01, 0.05))

What the instances are is the problem's (`Environment` in core/problem.py): arms, whose means are
drawn from a range; with `dim` contexts. All algorithms meet the same instances. With a delay, or
where not all arms can be played, they run behind the driver of a service, round by round.
"""

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import ALGORITHMS, Algorithm, Engine, get_algorithm, run
from dpbandits.core.choose_rule import FEWEST, SECONDS, Row, RuleChoice, choose_rule
from dpbandits.core.deploy import LEAST_EPSILON
from dpbandits.core.errors import InputError, extras
from dpbandits.core.models import Count, Epsilon, Model, Range, Several, Whole, parse
from dpbandits.core.problem import Environment
from dpbandits.core.registry import packages_of

LEVEL = 2.0  # standard errors of a paired difference below which two algorithms are level
NO_GAIN = 0.9  # of the regret of random play: above it little is learned
BESIDE = ""  # what is simulated without privacy, among the names
USUAL = ("lazy-dp-ts", "leaky-linear")  # whose problems are meant by `arms`, and by `dim`, too


@dataclass(frozen=True)
class Choice:
    about: str
    rows: tuple[Row, ...]  # private learners, best first
    beside: tuple[Row, Row]  # one without privacy, and random play
    best: str  # the first, one level with it that has the least proved bound, or `taken`
    level: tuple[str, ...]  # not to be told from the first
    notes: tuple[str, ...]
    use: str  # the line of code

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
    means: Range = (0.0, 1.0)
    dim: Several | None = None
    instances: Several | None = None
    delay: Whole = 0
    contributions: Count = 1
    allowed: Count | None = None
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95

    @property
    def served(self) -> bool:
        """Whether the driver of a service is part of what is compared."""
        return self.delay > 0 or self.allowed is not None


@extras()
def choose(
    *, arms: int, epsilon: float, horizon: int, means: tuple[float, float] = (0.0, 1.0),
    dim: int | None = None, instances: int | None = None, delay: int = 0, contributions: int = 1,
    allowed: int | None = None, like: str = "", goal: str = "regret", confidence: float = 0.95,
    progress: Callable[[float], Any] = lambda share: None,
) -> Choice | RuleChoice:  # fmt: skip
    """Simulate every private learner on random instances; the best first. goal: "regret", or
    "best-arm" for the rules that end when they know the best arm with this confidence.

    means: the range from which means of arms are drawn. dim: people with so many numbers
    each; with like="dp-signs" so many for each person and arm.
    delay, contributions: as of `dpbandits.learner`. allowed: so many arms, at random, can be played
    in a round. like: the name of an algorithm whose problem is meant; left out: arms, or contexts.
    progress: is told what share is done. instances: so many, of the faster versions of the
    algorithms; left out, as many as are done in 40 s of one core, compiling included, but 5 at
    least, and 300 at most (100 up to 1,000 rounds; with contexts 15, and fewer rounds than
    `horizon` where 5 instances take too long). Short runs compile nothing.
    """
    sizes = parse(Sizes, {
        "arms": arms, "horizon": horizon, "epsilon": epsilon, "means": means, "dim": dim,
        "instances": instances, "delay": delay, "contributions": contributions, "allowed": allowed,
        "confidence": confidence,
    }, "choose")  # fmt: skip
    (low, high), each = sizes.means, sizes.epsilon / sizes.contributions
    if not 0 <= low < high <= 1:
        raise InputError("choose: allowed: means = (low, high) within 0 and 1")
    if not LEAST_EPSILON <= each <= 1 / LEAST_EPSILON:  # no learner is deployed with others
        raise InputError(f"choose: epsilon of a round = {each:g}: allowed: 1e-6 to 1e6")
    if goal == "best-arm" and (dim, delay, contributions, allowed, like) == (None, 0, 1, None, ""):
        return choose_rule(sizes, progress)
    if goal != "regret":
        raise InputError("choose: goal: allowed: regret; best-arm, of plain arms without a delay")
    if not 1 <= (sizes.allowed or 1) < sizes.arms:
        raise InputError(f"choose: allowed = {sizes.allowed}: allowed: from 1 to below arms")
    contest = Contest(environment_of(like, sizes), sizes)
    return contest.concluded(*contest.simulated(progress))


def environment_of(like: str, sizes: Sizes) -> Environment:
    learner = get_algorithm(like or USUAL[sizes.dim is not None], "choose: like").learner
    if learner is None or learner.environment is None:
        raise InputError(f"choose: like = {like}: its problem has no random instances")
    return learner.environment(sizes)


class Contest:
    """The algorithms of one environment, on instances of one size."""

    def __init__(self, environment: Environment, sizes: Sizes):
        self.environment, self.sizes, free = environment, sizes, sizes.instances is None
        self.rounds = environment.rounds if free else sizes.horizon
        self.free, self.short = free, free and self.rounds <= environment.short
        usual = environment.most_short if self.short else environment.most
        self.settings = environment.instances(sizes.instances or usual)
        self.entries = private(environment)
        self.notes: list[str] = []
        if free and not self.short and not sizes.served:
            self._leave_out_slow_ones()

    def _leave_out_slow_ones(self) -> None:
        for name in self.environment.slow:
            if self.entries.pop(name, None):
                why = f"above {self.environment.short} rounds, since it has no fast version"
                more = "give a number of instances to have it"
                self.notes.append(f"{name} is left out {why}; {more}")

    def simulated(self, progress: Callable[[float], Any]) -> tuple[dict[str, np.ndarray], int]:
        """(regret of each algorithm on each instance, number of instances)."""
        started, spent, done = time.process_time(), 0.0, 0
        count = len(self.settings)
        regret = {name: np.empty(count) for name in [*self.entries, BESIDE]}
        progress(0.0)
        while done < count and (not self.free or done < FEWEST or spent < SECONDS):
            for j, (name, column) in enumerate(regret.items(), 1):
                column[done] = self.regret(name, done) if name else self.beside(done)
                spent = time.process_time() - started if self.free else 0.0
                share = (done + j / len(regret)) / count
                progress(min(1.0, max(share, spent / SECONDS)))
            done += 1
        progress(1.0)
        return {name: column[:done] for name, column in regret.items()}, done

    def regret(self, name: str, i: int) -> float:
        """Of one run on instance i."""
        if self.sizes.served:
            return self.served(self.entries[name], i)
        return self.alone(name, self.settings[i], i)

    def alone(self, name: str, setting: dict, i: int) -> float:
        """The same of any setting, without the driver of a service."""
        simulated = get_algorithm(self.environment.also.get(name, name))
        model, epsilon = simulated.setting(**setting), self.sizes.epsilon
        if self.sizes.contributions > 1:
            person = self.entries[name].learner.for_person
            model, epsilon = person(model, epsilon, self.sizes.contributions)
        return self.ran(simulated.name, model, epsilon, i, self.engine(name))

    def beside(self, i: int, name: str = "") -> float:
        """Without privacy."""
        name = name or self.environment.beside
        return self.ran(name, self.settings[i], math.inf, i, self.engine(name))

    def ran(self, name: str, setting, epsilon: float, i: int, engine: Engine) -> float:
        horizon = self.environment.horizon(name)
        found = run(name, setting, epsilon, horizon, [i], [self.rounds], engine=engine)
        return float(found.regret[0, 0])

    def engine(self, name: str) -> Engine:
        return "plain" if self.short and name not in self.environment.quick else "fast"

    def served(self, entry: Algorithm, i: int) -> float:
        """The regret of a learner behind the driver, round by round."""
        from dpbandits.core.deploy import learner

        sizes, lost = self.sizes, 0.0
        given: dict[str, Any] = {
            "delay": sizes.delay,
            "contributions": sizes.contributions,
            "noise": "simulated",
        }
        given |= {"epsilon": sizes.epsilon, "seed": i} | self.environment.told(entry.learner)
        given |= {"allowed_by": "public"} if sizes.allowed else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that rounds are few
            one = learner(entry.name, **given)
        for context, means, reward, can in self.served_rounds(i):
            seen = context if entry.learner.takes_context else None
            arm = one.act(seen, allowed=can.tolist() if sizes.allowed else None)
            one.update(reward(int(arm)), arm.ticket)
            lost += means[can].max() - means[arm]
        return float(lost)

    def served_rounds(self, i: int):
        """(context, means, reward, the arms that can be played) of each round of instance i."""
        sizes, rng = self.sizes, np.random.default_rng([i, self.sizes.arms])
        rounds = self.environment.play(self.environment.setting(**self.settings[i]), rng)
        for _, one in zip(range(self.rounds), rounds, strict=False):
            some = sizes.allowed or sizes.arms
            yield *one, np.sort(rng.choice(sizes.arms, some, replace=False))

    def random(self, done: int) -> np.ndarray:
        """The regret of random play."""
        if not self.sizes.served:
            return self.environment.random(
                self.settings[:done],
                lambda name: np.array([self.beside(i, name) for i in range(done)]),
            )
        rounds = (((m[can].max() - m[can].mean()) for _, m, _, can in self.served_rounds(i))
                  for i in range(done))  # fmt: skip
        return np.array([sum(lost) for lost in rounds])

    def concluded(self, regret: dict[str, np.ndarray], done: int) -> Choice:
        beside, sizes, settings = self.environment.beside, self.sizes, self.settings[:done]
        names = sorted(self.entries, key=lambda name: regret[name].mean())
        away = {name: regret[name] - regret[names[0]] for name in names[1:]}
        level = [n for n, x in away.items() if x.mean() <= LEVEL * x.std(ddof=1) / math.sqrt(done)]
        equal = [names[0], *level]
        best = next((name for name in equal if self.entries[name].theorem), names[0])
        proved = [f"{best} is taken: its regret has the least proved bound"] * (best != names[0])
        if self.environment.taken in self.entries:
            best, proved = self.environment.taken, []
        random = self.random(done)
        said = f"{sizes.horizon} rounds"
        if self.rounds != sizes.horizon:
            said = f"{self.rounds} rounds of {sizes.horizon}"
        about = f"{sizes.arms} arms, {self.environment.about}, epsilon {sizes.epsilon:g}, {said}"
        rows = [Row.of(name, regret[name]) for name in names]
        without = Row.of(f"{beside}, not private", regret[BESIDE])
        found = self.environment.notes(settings, regret, random, self.alone)
        notes = [*proved, *self.notes, *found]
        if sizes.served:
            notes.append(f"{beside} plays without a delay, and all arms")
        return Choice(
            f"{about}, {done} random instances", tuple(rows),
            (without, Row.of("random play", random)), best, tuple(equal[1:]), tuple(notes),
            self.line(best),
        )  # fmt: skip

    def line(self, name: str) -> str:
        """The call that makes the learner which was simulated."""
        sizes = self.sizes
        told = {"arms": sizes.arms, "epsilon": sizes.epsilon}
        told |= self.environment.told(self.entries[name].learner)
        told |= {"delay": sizes.delay} if sizes.delay else {}
        told |= {"contributions": sizes.contributions} if sizes.contributions > 1 else {}
        keys = (f"{k}={f'{v:g}' if isinstance(v, float) else repr(v)}" for k, v in told.items())
        return f'dpbandits.learner("{name}", {", ".join(keys)})'


def private(environment: Environment) -> dict[str, Algorithm]:
    """The private learners whose setting is the environment's, and those that are there `also`: of
    its package, and of packages that are not this one."""
    own = type(environment).__module__.rpartition(".")[0]
    others = (p for p in packages_of("dpbandits.algorithms") if not p.startswith("dpbandits."))
    for name in environment.also:
        get_algorithm(name)
    return {
        name: entry
        for name, entry in ALGORITHMS.all((own, *others)).items()
        if entry.private and entry.learner
        and (issubclass(entry.setting, environment.setting) or name in environment.also)
        and not entry.learner.ends and not entry.learner.full_information
    }  # fmt: skip
