"""Samples of the unmodified program in new processes, and the bound that they give.

Half of the processes choose the event, the others count it. Runs of one process may depend on each
other (answers that are kept, a generator of the module): then the counts of the processes differ
more than independent ones, and only the first run of each process counts.
"""

import contextlib
import io
import logging
import math
import os
import pickle
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.stats import chi2

from dpbandits.audit.sampled.blackbox import CONFIDENCE, best_event, log_ratio
from dpbandits.audit.sampled.function import Ported, copied
from dpbandits.audit.sampled.outcomes import coded, form_of

PROCESSES, SINGLES = 8, 300
SECONDS = 4.0  # for the runs of one data set


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


def child(work):
    """What `work()` gives in a forked process; an error of it is raised here."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(read)
            try:
                found = True, work()
            except BaseException as error:
                found = False, f"{type(error).__name__}: {error}"
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(found, pipe)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    good, found = pickle.loads(text) if text else (False, "the process ended")
    if not good:
        raise RuntimeError(found)
    return found


def renewed(function):
    """The function of its module, loaded anew, so that nothing is left of earlier runs."""
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "<")
    old = sys.modules.get(module)
    spec = getattr(old, "__spec__", None)
    if (
        spec is None
        or "<" in name
        or not hasattr(spec.loader, "exec_module")
        or module.startswith("dpbandits.")
    ):
        return function
    new = sys.modules[module] = type(old)(module)
    new.__file__, new.__spec__ = getattr(old, "__file__", None), spec
    spec.loader.exec_module(new)
    for part in name.split("."):
        new = getattr(new, part, None)
    return new if callable(new) else function


def sample(run, function, data, runs: int, seed: int) -> list:
    """Forms of the outcomes of `runs` runs in one new process."""

    def work():
        np.random.seed(seed % 2**32)
        random.seed(seed)
        target, generator = renewed(function), Ported(seed)
        return [form_of(outcome(run, target, data, generator)) for _ in range(runs)]

    return child(work)


def outcome(run, target, data, generator):
    """An error is an outcome; one that cannot be compared is not."""
    try:
        return run(target, copied(data), generator)
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]


def samples(run, function, pair, processes, runs, seed) -> tuple[list, list]:
    seeds = np.random.default_rng(seed).integers(2**62, size=(2, processes)).tolist()
    with ThreadPoolExecutor(2) as pool:
        both = pool.map(
            lambda x: [sample(run, function, x[0], runs, s) for s in x[1]],
            zip(pair, seeds, strict=True),
        )
        return tuple(both)


def bound(run, function, pair, claim, runs: int, seed: int, confidence=CONFIDENCE):
    """(a lower bound on the loss at claim.delta, its event, how it was sampled)."""
    times = [time.perf_counter()]
    for n in (1, 101):
        sample(run, function, pair[0], n, 1)
        times.append(time.perf_counter())
    wide = max(1, len(sample(run, function, pair[0], 1, 1)[0][1]))
    runs = min(runs, max(400, 2 * 10**6 // wide))
    once, more = times[1] - times[0], max(1e-7, times[2] - 2 * times[1] + times[0]) / 100
    runs, singles = int(min(runs, SECONDS / more)), int(min(SINGLES, 2 * SECONDS / once))
    processes = PROCESSES if runs >= 100 * PROCESSES else 2
    first, second = samples(run, function, pair, processes, max(1, runs // processes), seed)
    if first[0] == first[1] and any(x != first[0][0] for x in first[0]):  # a seed of its own
        first, second = samples(run, function, pair, 1, runs, seed)
        size = max(1, runs // processes)
        first, second = (
            [x[0][i * size : (i + 1) * size] for i in range(processes)] for x in (first, second)
        )
    found, event, dispersed = _measured(first, second, claim, confidence)
    if not dispersed:
        return found, event, f"{sum(map(len, first))} runs in {processes} processes"
    if found <= claim.epsilon:
        return found, event, "runs of one process depend on each other"
    first, second = samples(run, function, pair, singles, 1, seed + 1)
    found, event, _ = _measured(first, second, claim, confidence)
    return (
        found,
        event,
        f"{singles} processes of one run, as runs of one process depend on each other",
    )


def _measured(first, second, claim, confidence):
    m, each = len(first), len(first[0])
    flat = [sum(x, []) for x in (first, second)]
    half, error = (m // 2) * each, (1 - confidence) / 4
    codes = coded(*flat, half)
    best = -math.inf, "", False
    for p, q in ((codes.first, codes.second), (codes.second, codes.first)):
        event = best_event(p[:half], q[:half], claim.delta, error)
        hits, others = (np.isin(x[half:], event) for x in (p, q))
        value = log_ratio(int(hits.sum()), int(others.sum()), len(hits), claim.delta, error)
        if value > best[0]:
            held = (np.isin(x[half:], event).reshape(-1, each).sum(1) for x in (p, q))
            dispersed = any(_dispersed(x, each) for x in held)
            try:
                words = codes.describe(event)
            except Exception:
                words = ""
            best = value, words[:200], dispersed
    return best


def _dispersed(hits, runs: int) -> bool:
    """Whether counts of processes differ more than those of independent runs, at 1e-6."""
    share = hits.mean() / runs
    if not 0 < share < 1 or runs == 1:
        return False
    variance = ((hits - hits.mean()) ** 2).sum() / (runs * share * (1 - share))
    return chi2.sf(variance, len(hits) - 1) < 1e-6
