"""One search for all thresholds: least noise, a largest budget, the end of an interval."""

import math
from collections.abc import Callable


def last(passes: Callable[[float], bool], good: float, bad: float, tolerance: float = 0.0) -> float:
    """The number that passes beside the threshold between `good`, which passes, and `bad`, which
    does not: found by halving, up to a relative tolerance, else to neighbouring floats."""
    while abs(bad - good) > tolerance * min(abs(good), abs(bad)):
        middle = math.copysign(math.sqrt(max(good * bad, 0.0)), good)
        if not min(good, bad) < middle < max(good, bad):  # of other signs, or 0
            middle = (good + bad) / 2
        if middle in (good, bad):
            break
        good, bad = (middle, bad) if passes(middle) else (good, middle)
    return good
