"""pytest --processes N: one process collects the tests, then N forks of it take file after file.

Every worker of pytest-xdist would import and rewrite all files of tests itself.
"""

import gc
import multiprocessing
import os
import sys
from itertools import groupby
from multiprocessing.connection import wait

import pytest


def pytest_addoption(parser):
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    number = lambda text: cores if text == "auto" else int(text)  # noqa: E731
    parser.addoption("--processes", type=number, default=1, help="run tests in N forks, or auto")


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    gc.disable()  # a third of the time would go into looking through what stays


def pytest_collection_finish():
    gc.enable()
    gc.freeze()  # 200 modules and 8,000 tests: nothing to look through again and again


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    number = session.config.option.processes
    if number < 2 or session.config.option.collectonly or session.testsfailed:
        return None
    session.config._tmp_path_factory.getbasetemp()  # made once, for all
    files = [[*own] for _, own in groupby(session.items, lambda item: item.path)]
    files.sort(key=len, reverse=True)
    fork = multiprocessing.get_context("fork")
    queue = fork.SimpleQueue()
    for place in [*range(len(files)), *[None] * number]:
        queue.put(place)
    ends = {}
    _compile_one_at_a_time(fork.RLock())
    for _ in range(number):
        theirs = fork.Pipe(duplex=False)
        process = fork.Process(target=_work, args=(session, files, queue, theirs[1]), daemon=True)
        process.start()
        theirs[1].close()
        ends[theirs[0]] = process
    _listen(session, ends)
    return True


def _compile_one_at_a_time(lock):
    """Whoever comes second finds on disk what the first has compiled."""
    if dispatchers := sys.modules.get("numba.core.dispatcher"):
        compile_or_load = dispatchers.Dispatcher.compile

        def compile_alone(self, signature):
            with lock:
                return compile_or_load(self, signature)

        dispatchers.Dispatcher.compile = compile_alone


def _listen(session, ends):
    """Tell pytest what the forks report, until each has said that it is done."""
    hook, last = session.config.hook, {}
    while ends:
        for end in wait(list(ends)):
            try:
                kind, told = end.recv()
            except EOFError:
                pytest.exit(f"a process of tests died after {last.get(end)}", returncode=1)
            if kind == "done":
                ends.pop(end).join()
            elif kind == "warning":
                hook.pytest_warning_recorded.call_historic(kwargs=told)
            else:
                report = hook.pytest_report_from_serializable(config=session.config, data=told)
                last[end] = report.nodeid
                hook.pytest_runtest_logreport(report=report)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)


class _Teller:
    """In a fork: what happens is told to the one process that pytest's output comes from."""

    def __init__(self, config, end):
        self.config, self.end = config, end

    def pytest_runtest_logreport(self, report):
        make = self.config.hook.pytest_report_to_serializable
        self.end.send(("report", make(config=self.config, report=report)))

    def pytest_warning_recorded(self, warning_message, when, nodeid, location):
        if when == "runtest":  # those before it have been told
            told = {"warning_message": warning_message, "when": when, "nodeid": nodeid}
            self.end.send(("warning", told | {"location": location}))


def _work(session, files, queue, end):
    plugins = session.config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_Teller(session.config, end))
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()  # its files are those of all forks
    capture.start_global_capturing()
    capture.suspend_global_capture()
    place = queue.get()
    while place is not None:
        own, place = files[place], queue.get()
        after = [None] if place is None else files[place][:1]
        for item, following in zip(own, [*own[1:], *after], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    end.send(("done", None))
