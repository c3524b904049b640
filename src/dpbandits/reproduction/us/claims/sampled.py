"""What US's checks share: numbers of tables, bounds that hold with a probability, and the evidence
of refuted inequalities."""

from scipy.stats import binom, binomtest

from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.statistics import LEVEL


def numbers_of(rows) -> dict:
    """What a table covers, for the scope of a row."""
    numbers = {"settings": ", ".join(rows["setting"].unique())}
    numbers |= {"first": rows["t"].min(), "last": rows["t"].max()}
    if "tau" in rows:
        numbers["taus"] = ", ".join(f"{tau:g}" for tau in sorted(rows["tau"].unique()))
    return numbers


def exceedance(rows) -> tuple[bool, dict]:
    """Whether all runs together contradict a bound that may fail with probability delta, and the
    numbers of the row."""
    runs, above, delta = int(rows["runs"].sum()), int(rows["exceed"].sum()), rows["delta"].max()
    numbers = {"runs": runs, "above": above, "delta": delta}
    numbers["slack"] = (rows["bound"] / rows["largest"]).min()
    return bool(binom.sf(above - 1, runs, delta) < LEVEL / 2), numbers_of(rows) | numbers


def over_time(rows):
    """The mean of the runs, from the low end of its interval to the largest run; the bound."""
    return points_of(rows["mean"], low=rows["low"], high=rows["largest"], at_most=rows["bound"])


def share_of_all(rows):
    """The share of all runs above the bound, with an exact interval at 1 - LEVEL."""
    above, runs = int(rows["exceed"].sum()), int(rows["runs"].sum())
    ends = binomtest(above, runs).proportion_ci(1 - LEVEL)
    return points_of([above / runs], low=ends.low, high=ends.high, at_most=rows["delta"].max())


def beyond(sides: tuple[float, float], at: str, what: str, **options):
    """The evidence of a refuted inequality: its left side, and the right side as its limit."""
    left, right = sides
    return points_of([left], at_most=right, at=[at], what=what, **options)
