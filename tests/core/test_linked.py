"""Compiled functions have machine code only where it is asked for, and are what they were."""

import inspect
import subprocess
import sys
from operator import attrgetter

import numba
import numpy as np
import pytest

from dpbandits.core import compiled
from dpbandits.core.compiled import jit
from dpbandits.core.files import write_text
from dpbandits.core.linked import Library


@pytest.fixture
def sum_of_squares(tmp_path, monkeypatch):
    """A function and the one that it calls, compiled by this process."""
    monkeypatch.setattr(compiled, "folder_of", lambda module, file: tmp_path)

    @jit
    def square(x):
        if x < 0:
            raise ValueError("negative")
        return x * x

    @jit
    def total(values):
        found = 0.0
        for x in values:
            found += square(x)
        return found

    return total, square


@numba.njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@jit
def twice(n):
    return 2 * factorial(n)


@numba.njit
def half(x):
    return x / 2


@jit
def quarter(x):
    return half(half(x))


@jit
def applied(function, x):
    return function(x)


def libraries(function, inner: bool) -> list[Library]:
    dispatcher = function.get_overload.__self__ if inner else function
    return [*map(attrgetter("library"), dispatcher.overloads.values())]


def test_only_what_python_calls_gets_machine_code(sum_of_squares):
    total, square = sum_of_squares
    assert total(np.array([1.0, 2.0, 3.0])) == 14.0
    (inner,), (outer,) = libraries(square, True), libraries(total, False)
    assert type(inner) is type(outer) is Library
    assert not inner._made
    assert outer._made
    assert square(5.0) == 25.0  # by a gate of its own
    assert not inner._made
    assert inner.get_pointer_to_function(next(inner.get_defined_functions()).name) > 0
    assert inner._made
    assert total(np.array([1.0, 3.0])) == 10.0


def test_errors_come_through(sum_of_squares):
    total, _ = sum_of_squares
    with pytest.raises(ValueError, match="negative"):
        total(np.array([1.0, -1.0]))


def test_a_function_that_calls_itself_is_found():
    assert twice(5) == 240
    assert factorial(6) == 720


def test_functions_of_plain_numba_can_be_called_from_both():
    assert quarter(8.0) == 2.0
    assert half(8.0) == 4.0


def test_a_function_may_be_handed_over_by_its_address():
    address = numba.cfunc("float64(float64)")(half.py_func)
    assert applied(address, 3.0) == 1.5


SCRIPT = """
from dpbandits.core.compiled import COMPILED, jit
from {callee} import twice

@jit
def called(x):
    return twice(x) + {number}

print(called(3), sorted(name for name, seconds in COMPILED.items() if not seconds))
"""
CALLEE = f"""
import numba
from dpbandits.core.compiled import jit

{inspect.getsource(factorial.py_func)}
{inspect.getsource(twice.py_func)}
"""


def test_what_another_process_compiled_is_linked(tmp_path):
    write_text(CALLEE, tmp_path / "callee_of_a_test.py")

    def said(number):
        write_text(SCRIPT.format(callee="callee_of_a_test", number=number), tmp_path / "main.py")
        words = [sys.executable, str(tmp_path / "main.py")]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")

    assert said(1)[0] == "13 []"
    assert said(2)[0] == "14 ['callee_of_a_test.twice']"
    assert said(2)[0] == "14 ['__main__.called']"
