"""pytest in a fork of this process, which has imported numpy and the like already."""

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import sys
from pathlib import Path

PRELOADED = (
    *("numpy", "scipy.stats", "scipy.optimize", "scipy.special", "scipy.linalg", "pandas", "numba"),
    *("flint", "pydantic", "pytest", "hypothesis", "matplotlib.pyplot", "pyarrow.parquet"),
    *("yaml", "sklearn.linear_model", "seaborn"),
)
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-m", "not pipeline and not cluster", "--tb=line")
UNKNOWN = 0.05  # CPU seconds of a test that has not been timed yet
SHORT, LONG = 0.3, 3.0  # tests above them come later, whatever file they are in
WALL = 1200  # seconds; only against a test that waits for ever


def warm_up(tree: Path) -> None:
    """Import what no mutant can touch, with the arithmetic that the library asks for."""
    sys.path.insert(0, str(tree / "src"))
    importlib.import_module("dpbandits")
    for name in PRELOADED:
        importlib.import_module(name)
    for name in [n for n in sys.modules if n.split(".")[0] == "dpbandits"]:
        del sys.modules[name]  # every fork imports its own


def used() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (0, resource.RUSAGE_CHILDREN))


class _Order:
    """A pytest plugin: the tests that `nearer` says, then quick ones of near files, until the
    budget is used up; every test may use CPU time by what it took. One line of JSON for each."""

    def __init__(self, tests, seconds, budget, compiling, nearer, seen):
        self.nearer = nearer
        self.rank = {test: i for i, test in enumerate(tests)}
        self.seconds, self.budget, self.compiling, self.seen = seconds, budget, compiling, seen

    def _tell(self, name, outcome, spent=0.0):
        self.seen.write(json.dumps([name, outcome, round(spent, 3)]) + "\n")
        self.seen.flush()

    def pytest_collectreport(self, report):
        if report.failed:
            self._tell(report.nodeid, "failed")

    def pytest_collection_modifyitems(self, items):
        def place(item):
            took = self.seconds.get(item.nodeid, UNKNOWN)
            rank = self.rank.get(item.nodeid.split("::")[0], 0)
            far = [not near(item.nodeid) for near in self.nearer]
            return *far[:1], took > LONG, *far[1:], took > SHORT, rank, took

        items.sort(key=place)
        self.begin = used()

    def pytest_runtest_protocol(self, item, nextitem):
        expected = self.seconds.get(item.nodeid, UNKNOWN)
        if used() - self.begin + expected <= self.budget:
            return None
        item.session._setupstate.teardown_exact(nextitem)  # the last test left what this one needs
        return True  # left out

    def pytest_runtest_logstart(self, nodeid, location):
        self.started, known = used(), self.seconds.get(nodeid, 2)
        more = 20 + 5 * known + 100 * self.compiling
        own = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(own + more), resource.RLIM_INFINITY))
        self._tell(nodeid, "started")
        self.bad = False

    def pytest_runtest_logreport(self, report):
        self.bad = self.bad or report.failed

    def pytest_runtest_logfinish(self, nodeid, location):
        self._tell(nodeid, "failed" if self.bad else "passed", used() - self.started)


def run_tests(tree: Path, log: Path, tests, seconds, budget, compiling=False, nearer=()):
    """("passed" | "failed" | "time" | "undecided", the test, CPU seconds, those of all tests)."""
    seen = log.with_suffix(".jsonl")
    child = os.fork()
    if child == 0:
        _child(tree, log, seen, tests, (seconds, budget, compiling, nearer))
    _, status, used = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what a test has left running
    rows = [json.loads(line) for line in seen.read_text().splitlines()]
    took = {name: spent for name, outcome, spent in rows if outcome == "passed"}
    failed = next((name for name, outcome, _ in rows if outcome == "failed"), "")
    last, spent = (rows[-1][0] if rows else "(collection)"), used.ru_utime + used.ru_stime
    if failed:
        return "failed", failed, spent, took
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        kind = {signal.SIGXCPU: "time", signal.SIGALRM: "undecided"}.get(number, "failed")
        return kind, last, spent, took
    passed = os.WEXITSTATUS(status) in (0, 5)  # 5: nothing was collected
    return ("passed" if passed else "failed"), ("" if passed else last), spent, took


def _child(tree, log, seen, tests, order):
    gc.freeze()  # pytest collects ten times at its end, and all of this process would be looked at
    os.setsid()
    signal.alarm(WALL)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (120, resource.RLIM_INFINITY))
    os.chdir(tree)
    os.environ |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    sys.path[:] = [str(tree / "src"), *(p for p in sys.path if "mutation" not in p)]
    for name in ("mutants", "imports", "forks", "calls"):
        sys.modules.pop(name, None)
    import pytest

    with open(seen, "w") as lines:
        files = dict.fromkeys(test.split("::")[0] for test in tests)
        code = pytest.main([*OPTIONS, *tests], plugins=[_Order(list(files), *order, lines)])
    sys.stdout.flush()
    os._exit(int(code))
