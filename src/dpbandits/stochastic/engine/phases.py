"""The fast version of every class of ../rounds.py that derives from `Phases`: its own methods.

`index`, `size` and `release` are compiled as they stand, `self` being a tuple of what they read
(`Phases.View`); a batch of rewards that are 0 or 1 is one Binomial. There is nothing else to write.
"""

from functools import cache
from types import FunctionType

import numpy as np

from dpbandits.core.compiled import jit, jit_all
from dpbandits.core.variates import binomial, laplace
from dpbandits.stochastic.engine.runs import record, simulate_runs


def simulate(cls, setting, epsilon, horizon, streams, checkpoints):
    views = []

    def start():
        options = setting.model_dump(exclude={"means"})
        made = cls(len(setting.means), epsilon, None, None, horizon, **options)
        views.append(cls.View(*(getattr(made, name) for name in cls.View._fields)))
        return (*views[-1],)  # numba takes long for a second type of named tuple with equal fields

    found = simulate_runs(compiled(cls), setting, horizon, streams, checkpoints, start)
    for name in cls.extras:
        found.extras[name] = np.array([getattr(view, name)[0] for view in views])
    return found


@cache
def compiled(cls):
    """`one_run` of this class."""
    parts = {name: jit_all(getattr(cls, name)) for name in ("index", "size", "release")}
    parts |= {"View": cls.View, "every_round": cls.every_round}
    for function in (at, leader, last_round, one_run):
        own = FunctionType(function.__code__, {**globals(), **parts}, function.__name__)
        # of its own in numba's cache, where classes of scripts and notebooks are not
        own.__qualname__ = f"{function.__name__}_{cls.__module__}_{cls.__qualname__}"
        own.__module__ = cls.__module__
        parts[function.__name__] = jit(own)
    return parts["one_run"]


def one_run(bandit, results, stream, fields):
    arms, horizon, t, view = len(bandit.means), bandit.horizon, 0, View(*fields)
    fresh = np.zeros(arms, np.int64)  # of each arm, the rewards in its batch
    while t < horizon:
        arm = np.int64(t // view.first)  # at first all batches in turn
        if arm >= view.tried:
            arm = leader(view, t + 1)
        full = np.int64(size(at(view, t + 1), arm))
        last = min(t + full - fresh[arm], horizon)
        if every_round and t >= view.tried * view.first:
            last = last_round(view, arm, t + 1, last)
        record(bandit, results, arm, t, last)
        fresh[arm] += last - t
        t = last
        if fresh[arm] == full and t < horizon:
            total = binomial(stream, full, bandit.means[arm]) + laplace(stream, 1 / view.epsilon)
            release(at(view, t), arm, total, full)
            fresh[arm] = 0


def at(view, t):
    return View(t, *view[1:])


def leader(view, t):
    """The arm with the largest index in round t, the first of equals."""
    return np.argmax(index(at(view, t)))


def last_round(view, arm, first, last):
    """The last round up to `last` in which `arm`, the leader of round `first`, still leads; who
    leads at two rounds of a stretch without releases leads between them (see `every_round`)."""
    if last <= first or leader(view, last) == arm:
        return last
    while last - first > 1:  # leads at first, does not lead at last
        middle = (first + last) // 2
        if leader(view, middle) == arm:
            first = middle
        else:
            last = middle
    return first
