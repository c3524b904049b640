"""What US's checks share: numbers of tables, bounds that hold with a probability, and both sides of
refuted inequalities."""

from scipy.stats import binom, binomtest

from dpbandits.reproduction.ledger.certificates import inequality
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ledger.inequalities import exact
from dpbandits.reproduction.ledger.points import curves, points
from dpbandits.reproduction.ledger.verdicts import PRINTED
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
    """Mean over the runs, with a whisker to the largest one, and the bound, per kernel."""
    axes = ("$T$", "mean over runs, whisker to the largest")
    limits = {"low": "low", "high": "largest", "at_most": "bound"}
    return curves(rows, "t", **limits, series="{setting}", axes=axes, log="xy")


def share_of_all(rows):
    """The share of all runs above the bound, with an exact interval at 1 - LEVEL."""
    above, runs = int(rows["exceed"].sum()), int(rows["runs"].sum())
    ends = binomtest(above, runs).proportion_ci(1 - LEVEL)
    limits = {"low": ends.low, "high": ends.high, "at_most": rows["delta"].max()}
    axes, panel = ("", f"share, interval at 1 - {LEVEL:g}"), "share of runs above the bound"
    return points(["all $T$ and kernels"], [above / runs], **limits, axes=axes, panel=panel)


def sides(id: str, reading: str = PRINTED, **changed) -> tuple[float, float]:
    """Both sides of a refuted inequality in claims.toml, with some parameters changed."""
    rule = next(r.inequality for r in get_claim(id).readings if r.reading == reading)
    given = exact(rule.given | changed)
    made = inequality(rule.theorem, rule.fails, "", given, rule.python, **rule.sets)
    return tuple(float(made["enclosures"][side][i]) for i, side in enumerate(("left", "right")))


def beyond(id: str, name: str, axis: str, *, reading: str = PRINTED, **options):
    """The plot of a refuted inequality: the point `name` with its left side, and the right side as
    its limit."""
    left, right = sides(id, reading)
    return points([name], [left], at_most=right, axes=("", axis), **options)
