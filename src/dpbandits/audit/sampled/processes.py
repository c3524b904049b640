"""Runs of the unmodified program in new processes, in each of which its module is executed anew.

So nothing is left of earlier runs, not even a key that is drawn at import. A function without a
module of its own (a lambda, one of a notebook) starts with what the parent has.
"""

import contextlib
import functools
import io
import logging
import multiprocessing
import random
import sys
import warnings
from types import ModuleType

import numpy as np

from dpbandits.audit.sampled.outcomes import copied, form_of, leaves
from dpbandits.core.port import SimulatedNoise

INSIDE: list[ModuleType] = []  # of `recorded`: executed anew, too; their own names are replaced
FORK = multiprocessing.get_context("fork")  # the program is in memory only, and 1 ms is enough


class Ported(np.random.Generator):
    """A NumPy generator that has the methods of a noise port, too."""

    def __init__(self, key):
        super().__init__(np.random.Philox(key))
        self.port = SimulatedNoise(self)

    def __getattr__(self, name):
        if name not in ("argmax", "gaussian", "exponential_mechanism", "bernoulli"):
            raise AttributeError(name)
        return getattr(self.port, name)

    def laplace(self, loc=0.0, scale=1.0, size=None, *, sensitivity=None, name=""):
        return super().laplace(loc, scale, size)


@contextlib.contextmanager
def heard():
    """What is printed and logged within it, as a list."""
    text, root = io.StringIO(), logging.getLogger()
    handler, level, out = logging.StreamHandler(text), root.level, []
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            yield out
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        out += [text.getvalue()] if text.getvalue() else []


def begun(work):
    """A forked process that does `work()`: `ended` gives what comes of it."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_send, args=(theirs, work))
    with warnings.catch_warnings():  # of other threads, which have no part in this
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()
    return process, ours


def _send(pipe, work):
    try:
        found = True, work()
    except TypeError as error:
        found = False, error
    except BaseException as error:  # SystemExit, too, is a way in which a program ends
        found = False, RuntimeError(f"{type(error).__name__}: {error}")
    pipe.send(found)


def ended(started):
    """An error of the process is a RuntimeError here, but for a TypeError."""
    process, pipe = started
    try:
        good, found = pipe.recv()
    except EOFError:
        good, found = False, RuntimeError("the process ended")
    process.join()
    if not good:
        raise found
    return found


def child(work):
    return ended(begun(work))


def renewed(function):
    """The function of its module, executed anew; the modules of `recorded` are so in place."""
    for module in INSIDE:
        module.__spec__.loader.exec_module(module)
    return _renewed(function)


def _renewed(function):
    if isinstance(function, functools.partial):
        parts = [_renewed(x) if callable(x) else x for x in (function.func, *function.args)]
        return functools.partial(*parts, **function.keywords)
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "<")
    old = sys.modules.get(module)
    spec = getattr(old, "__spec__", None)
    own = getattr(spec, "name", "") == module  # of `python -m PACKAGE` it is PACKAGE.__main__
    loads = own and hasattr(spec.loader, "exec_module")
    if not loads or "<" in name or module.startswith("dpbandits."):
        return function
    new = sys.modules[module] = type(old)(module)
    new.__file__, new.__spec__ = getattr(old, "__file__", None), spec
    spec.loader.exec_module(new)
    for part in name.split("."):
        new = getattr(new, part, None)
    return new if callable(new) else function


def outcome(run, target, data, generator):
    """An error is an outcome."""
    try:
        return run(target, copied(data), generator)
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]


def usual(run, function, data, runs: int = 30) -> list:
    """Leaves of the outcomes of some runs; TypeError, with the type, if they cannot be compared."""
    random.seed(1)
    outcomes, found = [outcome(run, function, data, Ported(i)) for i in range(runs)], []
    for one in outcomes:
        try:
            found.append(leaves(one))
        except (TypeError, RecursionError):
            raise TypeError(type(one).__name__) from None
    return found


def raised(shown: list) -> str:
    """The type of the error that ended a run whose outcome has these leaves, or nothing."""
    return shown[2][1] if len(shown) > 2 and shown[1][1] == "raised" else ""


def sampling(run, function, data, runs: int, seed: int):
    """A begun process that gives the forms of the outcomes of so many runs."""

    def work():
        np.random.seed(seed % 2**32)  # noqa: NPY002
        random.seed(seed)
        target, generator = renewed(function), Ported(seed)
        return [form_of(outcome(run, target, data, generator)) for _ in range(runs)]

    return begun(work)


def sample(run, function, data, runs: int, seed: int) -> list:
    return ended(sampling(run, function, data, runs, seed))


def samples(run, function, pair, processes: int, runs: int, seed: int) -> tuple[list, list]:
    """Of both data sets, a list for each process; two processes run at a time."""
    seeds = np.random.default_rng(seed).integers(2**62, size=(2, processes)).tolist()
    both = [], []
    for two in zip(*seeds, strict=True):
        begun_ = [sampling(run, function, x, runs, s) for x, s in zip(pair, two, strict=True)]
        for found, one in zip(both, begun_, strict=True):
            found.append(ended(one))
    return both
