"""certificates/check.py: it proves all certificates with the standard library, and its interval
arithmetic is right."""

import json
import math
import random
import subprocess
import sys
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from scratch import ROOT

FOLDER = ROOT / "certificates"
FILES = sorted(FOLDER.glob("*.json"))


def test_all_certificates_are_proved_by_python_alone(tmp_path):
    """Without site-packages and environment variables, in another folder."""
    command = [sys.executable, "-I", "-S", str(FOLDER / "check.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    *lines, summary = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(lines) == len(FILES) > 0
    assert all(line.startswith("proved ") for line in lines)
    data = sum("data" in json.loads(file.read_text(encoding="utf-8")) for file in FILES)
    assert data >= 30
    numbers = len(FILES) - data
    text = f"{data} computed from data, {numbers} inequalities between numbers, 0 refused"
    assert summary == text


def _points(count: int):
    """Rationals of all sizes, those at which the algorithms branch first."""
    source = random.Random(20)
    yield from (Fraction(n, d) for n in (1, 2, 3, 255, 257) for d in (1, 2, 4, 256))
    for _ in range(count):
        size = source.randint(-60, 60)
        yield Fraction(source.randint(1, 10**12), source.randint(1, 10**12)) * Fraction(2) ** size


def _encloses(interval, true: arb) -> bool:
    low, high = (arb(fmpq(x.numerator, x.denominator)) for x in (interval.lo, interval.hi))
    narrow = (high - low) <= abs(true) * arb(2) ** -180
    return bool((low < true and true < high) or low == high == true) and bool(narrow)


@pytest.mark.parametrize("name", ["exp", "ln", "sqrt"])
def test_enclosures_of_the_elementary_functions(check, name):
    """The value by python-flint at 600 bits is inside, and the interval is narrow."""
    flint = {"exp": arb.exp, "ln": arb.log, "sqrt": arb.sqrt}[name]
    before, ctx.prec = ctx.prec, 600
    try:
        for x in _points(120):
            for sign in (1, -1) if name == "exp" else (1,):
                if name == "exp" and x > 9000:
                    continue
                y = sign * x
                true = flint(arb(fmpq(y.numerator, y.denominator)))
                if not (name == "ln" and y == 1):
                    assert _encloses(getattr(check, name)(y), true), y
    finally:
        ctx.prec = before
    assert check.ln(1).lo <= 0 <= check.ln(1).hi


def test_exponentials_too_small_or_too_large(check):
    assert check.exp(Fraction(-(10**6))).lo == 0 < check.exp(Fraction(-(10**6))).hi
    with pytest.raises(check.Refused):
        check.exp(Fraction(10**6))


def test_interval_arithmetic_encloses_every_result(check):
    source = random.Random(21)

    def interval_and_point():
        a, b = sorted(Fraction(source.randint(-99, 99), source.randint(1, 99)) for _ in range(2))
        return check.Interval(a, b), a + (b - a) * Fraction(source.randint(0, 8), 8)

    for _ in range(500):
        (u, x), (v, y) = interval_and_point(), interval_and_point()
        for interval, true in ((u + v, x + y), (u - v, x - y), (u * v, x * y), (3 - u, 3 - x)):
            assert interval.lo <= true <= interval.hi
        if v.lo > 0 or v.hi < 0:
            assert (u / v).lo <= x / y <= (u / v).hi
        else:
            with pytest.raises(check.Refused):
                u / v
        assert (u > v) == (u.lo > v.hi)


def test_tails_of_laplace_noise(check):
    """P(W - W' > x) and P(W > x) of Laplace variables, compared with numerical integrals."""
    for x in (Fraction(0), Fraction(1, 3), Fraction(-2), Fraction(7)):
        gap, one = check.tail(x), check.tail(x, of=1)
        both = gap + check.tail(-x)
        assert both.lo <= 1 <= both.hi
        step, reach = 1e-3, 40.0

        def over(t):
            return math.exp(-t) / 2 if t >= 0 else 1 - math.exp(t) / 2

        grid = [(i + 0.5) * step - reach for i in range(int(2 * reach / step))]
        convolved = sum(math.exp(-abs(w)) / 2 * over(float(x) + w) for w in grid) * step
        assert float(gap.lo) == pytest.approx(convolved, rel=1e-5)
        assert float(one.lo) == pytest.approx(over(float(x)), rel=1e-12)
