"""What US's checks share: numbers of tables, bounds that may fail, refuted inequalities."""

from scipy.stats import binom, binomtest

from dpbandits.core.certificates import inequality
from dpbandits.core.claims import get_claim
from dpbandits.core.inequalities import exact
from dpbandits.core.ledger import PRINTED
from dpbandits.core.points import curves, points

LEVEL = 1e-6  # of every `rejected` and `consistent`


def numbers_of(rows) -> dict:
    """What a table covers, for the scope of a row."""
    known = {"settings": ", ".join(rows["setting"].unique())}
    known |= {"first": rows["t"].min(), "last": rows["t"].max()}
    if "tau" in rows:
        known["taus"] = ", ".join(f"{tau:g}" for tau in sorted(rows["tau"].unique()))
    return known


def exceedance(rows) -> tuple[bool, dict]:
    """Whether runs contradict a bound that may fail in a share delta of them, all rows together."""
    runs, above, delta = int(rows["runs"].sum()), int(rows["exceed"].sum()), rows["delta"].max()
    numbers = {"runs": runs, "above": above, "delta": delta}
    numbers["slack"] = (rows["bound"] / rows["largest"]).min()
    return bool(binom.sf(above - 1, runs, delta) < LEVEL), numbers_of(rows) | numbers


def over_time(rows):
    """Mean over the runs, with a whisker to the largest one, and the bound, per kernel."""
    axes = ("$T$", "mean over runs, whisker to the largest")
    limits = {"low": "low", "high": "largest", "at_most": "bound"}
    return curves(rows, "t", **limits, series="{setting}", axes=axes, log="xy")


def share_of_all(rows):
    """All runs together, with the exact interval, each end at the level."""
    above, runs = int(rows["exceed"].sum()), int(rows["runs"].sum())
    ends = binomtest(above, runs).proportion_ci(1 - 2 * LEVEL)
    limits = {"low": ends.low, "high": ends.high, "at_most": rows["delta"].max()}
    look = {"panel": "share of runs above the bound"}
    look |= {"axes": ("", "share, interval at $1-10^{-6}$")}
    return points(["all $T$ and kernels"], [above / runs], **limits, **look)


def sides(id: str, reading: str = PRINTED, **changed) -> tuple[float, float]:
    """Both sides of a refuted inequality in claims.toml, perhaps at other parameters."""
    rule = next(r.inequality for r in get_claim(id).readings if r.reading == reading)
    given = {name: exact(value) for name, value in (rule.given | changed).items()}
    found = inequality(rule.theorem, rule.fails, "", given, rule.python)["enclosures"]
    return float(found["left"][0]), float(found["right"][1])


def beyond(id: str, name: str, axis: str, *, reading: str = PRINTED, **options):
    """The point of a refuted inequality: its name, its axis, and what else the plot shows."""
    left, right = sides(id, reading)
    return points([name], [left], at_most=right, axes=("", axis), **options)
