"""Which functions of src/ each test calls, and what CPU time it takes: for run.py's order.

    python tests/mutation/calls.py [--share 1/2] [TESTS...]

Adds one line of JSON for each test to results/calls.jsonl; `run.py` then asks first those that call
the mutated function. Compiled functions are not seen, and nothing is of tests that start processes:
for their mutants the imports decide, as without this file.
"""

import argparse
import json
import sys
from pathlib import Path

import pytest
from forks import OPTIONS, used

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "results" / "calls.jsonl"
SOURCES = f"{ROOT}/src/dpbandits/"


class Recorder:
    """A pytest plugin: the interpreter names every function that is entered."""

    def __init__(self, lines):
        self.lines = lines

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        entered, begin = set(), used()
        # no local trace function is returned: calls alone are reported, not lines
        sys.settrace(lambda frame, event, arg: entered.add(frame.f_code))
        try:
            return (yield)
        finally:
            sys.settrace(None)
            row = [
                item.nodeid,
                round(used() - begin, 3),
                sorted({*filter(None, map(_name, entered))}),
            ]
            self.lines.write(json.dumps(row) + "\n")
            self.lines.flush()


def _name(code) -> str:
    """src/dpbandits/FILE:FUNCTION, as a mutant's `file` and `function` have it."""
    if not code.co_filename.startswith(SOURCES) or code.co_name == "<module>":
        return ""
    parts = [p for p in code.co_qualname.split(".") if not p.startswith("<")]
    return f"{code.co_filename[len(str(ROOT)) + 1 :]}:{'.'.join(parts)}"


def read() -> tuple[dict[str, float], dict[str, set[str]]]:
    """Seconds of each test; the tests that call each function."""
    lines = OUTPUT.read_text().splitlines() if OUTPUT.is_file() else []
    rows = {test: (seconds, functions) for test, seconds, functions in map(json.loads, lines)}
    callers: dict[str, set[str]] = {}
    for test, (_, functions) in rows.items():
        for function in functions:
            callers.setdefault(function, set()).add(test)
    return {test: seconds for test, (seconds, _) in rows.items()}, callers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--share", default="1/1", help="1/2, 2/2: two processes share the files")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    share, shares = map(int, options.share.split("/"))
    every = options.tests or sorted(p.as_posix() for p in Path("tests").rglob("test_*.py"))
    OUTPUT.parent.mkdir(exist_ok=True)
    with open(OUTPUT, "a") as lines:
        plugins = [Recorder(lines)]
        return pytest.main([*OPTIONS[1:], *every[share - 1 :: shares]], plugins=plugins)


if __name__ == "__main__":
    sys.exit(main())
