"""`dpbandits.learner`: make a learner, or open it from its store. Wrong arguments are refused."""

import difflib
import math
import os
import warnings
from typing import Any

import numpy as np

from dpbandits.core.algorithms import Algorithm, algorithms, get_algorithm
from dpbandits.core.errors import InputError
from dpbandits.core.learner import Learner
from dpbandits.core.models import parse
from dpbandits.core.notions import APPROXIMATE, PURE
from dpbandits.core.port import ExactNoise, SimulatedNoise
from dpbandits.core.problem import Problem
from dpbandits.core.promise import promise
from dpbandits.core.requests import Service, is_text

LARGE_DELTA, MOST_DELTA = 1e-3, 0.1  # above them: a warning; a refusal
LEAST_EPSILON = 1e-6  # of exact noise, whose integers have 64 bits


def learner(
    algorithm: str | type, *, epsilon: float | None = None, delay: int = 0,
    reward_range: tuple[float, float] | None = None, rewards: str = "refuse",
    contributions: int = 1, noise: str = "exact", seed: int | None = None,
    allowed_by: str = "actions", allow_not_private: bool = False,
    store: str | os.PathLike | None = None, name: str = "default", budget: str | None = None,
    **setting,
) -> Learner:  # fmt: skip
    """A learner of this algorithm, e.g. `learner("lazy-dp-ts", arms=5, epsilon=1.0)`.

    algorithm: its name, or a class of one's own (docs/how-to/extend.md).
    delay: a reward counts this many rounds after its own, one that has not come until then as the
    lowest; 0: each reward comes before the next action. reward_range: (lowest, highest) reward,
    public; bandits take 0 to 1 by default. rewards: "refuse" those outside of it, or "clip" them;
    "binary" takes its two ends alone, and makes `intervals`, `difference` and `best` sharper.
    contributions: in how many rounds one person's rewards are at most; the promise is per person.
    allowed_by: what `allowed=` and `retire` may depend on, "actions" (and on no reward) or "public"
    things alone, which algorithms with contexts need.
    noise: "exact", or "simulated", which alone takes a seed. allow_not_private: also algorithms and
    variants that are not private as promised. setting: `arms`, and the keys of the algorithm
    (docs/which.md; the error for another key names all); `horizon` where it must be known.
    store: the file where the learner is kept, for any number of threads and processes; one that is
    there goes on, if it was made with the same arguments. It needs a delay of at least 1. name: of
    this learner, if the file has several. budget: a name; a person's rounds are counted over all
    learners of the file with the same one.
    """
    entry = _of_class(algorithm) if isinstance(algorithm, type) else get_algorithm(algorithm)
    if entry.learner is None:
        same = [e.name for e in algorithms().values() if e.learner and e.package == entry.package]
        use = f"learners for its problem: {', '.join(sorted(same))}" if same else "no learner"
        raise InputError(f"learner: {entry.name} can only be simulated; {use}")
    service = parse(Service, {
        "epsilon": epsilon, "delay": delay, "reward_range": reward_range, "rewards": rewards,
        "contributions": contributions, "noise": noise, "seed": seed,
        "allow_not_private": allow_not_private, "allowed_by": allowed_by,
    }, "learner")  # fmt: skip
    _judge_store(store, service.delay, name, budget)
    if seed is not None and noise == "exact":
        raise InputError('learner: seed: allowed: with noise="simulated"')
    if reward_range is not None and not entry.learner.takes_range:
        raise InputError(f"learner: {entry.name} takes no reward_range")
    if epsilon is None and entry.private and not allow_not_private:
        raise InputError("learner: epsilon is missing: give epsilon=, e.g. epsilon=1.0")
    epsilon = math.inf if service.epsilon is None else service.epsilon
    if epsilon < math.inf and not entry.private:
        use = "leave epsilon out, and give allow_not_private=True"
        raise InputError(f"learner: {entry.name} is not private and takes no epsilon: {use}")
    _refuse_misspelt(setting)
    arguments, checked = entry.learner.from_user(entry.setting, **setting)
    _judge_delta(entry.delta(checked), allow_not_private)
    _refuse_not_private(entry, checked, epsilon, allow_not_private)
    made = asked = _made(entry.learner, arguments, checked, epsilon, service)
    if advice := made.advice:
        warnings.warn(advice, stacklevel=2)
    about = {"algorithm": entry.name} | service.model_dump(exclude={"seed"}) | {"epsilon": epsilon}
    about |= {k: v.item() if hasattr(v, "item") else v for k, v in setting.items()}
    if asked.instead:
        entry, sizes = get_algorithm(asked.instead), {"arms": asked.K, "horizon": asked.horizon}
        arguments, checked = entry.learner.from_user(entry.setting, **sizes)
        made = _made(entry.learner, arguments, checked, epsilon, service)
    one = Learner(made, about, promise(entry, checked, about, store is not None, budget), asked)
    if store is not None:
        one.keep(store, name, budget)
    return one


def _made(cls, arguments, setting, epsilon: float, service: Service):
    """The object that acts, for the epsilon of a person."""
    each = epsilon  # of a round's record
    if service.contributions > 1 and not math.isinf(epsilon):
        inner, each = cls.for_person(setting, epsilon, service.contributions)
        arguments = {k: inner if v is setting else v for k, v in arguments.items()}
    rng = np.random.Generator(np.random.Philox(service.seed))
    exact = service.noise == "exact" and not math.isinf(epsilon)
    if exact and not LEAST_EPSILON <= each <= 1 / LEAST_EPSILON:
        raise InputError(f"epsilon of a round = {each:g}: allowed with exact noise: 1e-6 to 1e6")
    port = ExactNoise(cls.grid) if exact else SimulatedNoise(rng)
    return cls(epsilon=each, noise=port, rng=rng, **arguments)


def _refuse_misspelt(setting) -> None:
    """What is nearly one of our own keywords is not one of the algorithm's."""
    own = [*Service.model_fields, "store", "name", "budget"]
    for key in setting:
        if close := difflib.get_close_matches(key, own, n=1, cutoff=0.85):
            raise InputError(f"learner: unknown key '{key}'; did you mean '{close[0]}'?")


def _judge_store(store, delay: int, name, budget) -> None:
    if store is not None and delay < 1:
        allowed = "1 or more with store=: so many rounds after its own a reward may come"
        raise InputError(f"learner: delay: allowed: {allowed}")
    if store is None and (budget is not None or name != "default"):
        raise InputError("learner: name=, budget=: allowed: with store=")
    if not is_text(name) or not (budget is None or is_text(budget)):
        raise InputError("learner: name, budget: allowed: texts")


def _judge_delta(delta: float, allowed: bool) -> None:
    """With probability delta the promise may fail: of a thousand people for one in all."""
    if delta > MOST_DELTA and not allowed:
        text = f"delta = {delta:g} may show one person in {1 / delta:.3g} entirely"
        raise InputError(f"learner: {text}; allow_not_private=True takes it all the same")
    if delta > LARGE_DELTA:
        text = "usual is far less than one over the number of people, e.g. delta=1e-6"
        warnings.warn(f"delta = {delta:g} is large: {text}", stacklevel=3)


def _of_class(cls: type) -> Algorithm:
    """The entry of a class that is not registered: its promise is its author's."""
    if not issubclass(cls, Problem) or not hasattr(cls, "update"):
        raise InputError(f"learner: {cls.__name__}: allowed: a subclass of dpbandits.Bandit")
    make: Any = cls  # it is deployed, never simulated by its entry
    notion = APPROXIMATE if "delta" in cls.model.model_fields else PURE
    return Algorithm(
        cls.__name__, make, cls.model, "", "claimed by its author", cls.__module__, notion,
        learner=cls,
    )  # fmt: skip


def _refuse_not_private(entry, setting, epsilon: float, allowed: bool) -> None:
    if allowed:
        return
    why = entry.warning(setting, epsilon)
    if not entry.private:
        why = f"{entry.name} is not private"
    elif math.isinf(epsilon):
        why = "epsilon = inf promises nothing"
    if why:
        raise InputError(f"learner: {why}; allow_not_private=True takes it all the same")
