"""`dpbandits test PAPER`: the contract tests of the checkout, on what one paper brings."""

import subprocess
import sys
from pathlib import Path

from dpbandits.core.errors import InputError, nearest

TESTS = ("tests/core/test_registry.py", "tests/core/test_mechanism_contract.py")


def test(options) -> int:
    from dpbandits.core.algorithms import algorithms
    from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS
    from dpbandits.core.registry import papers

    known = papers() | {paper.package: paper for paper in papers().values()}
    if options.paper not in known:
        raise InputError(f"test {options.paper}: {nearest(options.paper, known)}")
    if not all(Path(path).is_file() for path in TESTS):
        raise InputError("test: allowed: in a checkout of dpbandits, which holds the contracts")
    package = known[options.paper].package
    entries = [*algorithms().items(), *MECHANISMS.all().items(), *CALIBRATORS.all().items()]
    names = {name for name, entry in entries if f"{entry.module}.".startswith(f"{package}.")}
    if not names:
        raise InputError(f"test {options.paper}: it brings no algorithm and no mechanism")
    chosen = " or ".join(sorted(names))
    return subprocess.call([sys.executable, "-m", "pytest", "-q", *TESTS, "-k", chosen])
