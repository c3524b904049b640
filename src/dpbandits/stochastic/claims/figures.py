"""Checks of what HU says of its figures and of AdaP-UCB, from the tables."""

import pandas as pd

from dpbandits.core.claims import Finding
from dpbandits.core.points import points
from dpbandits.stochastic.problem import AdapSetting
from dpbandits.stochastic.readings import Z_CLAIM, Interval, beside, final, ratio, ratio_of

PANELS = ("fig1", "fig2")
ALPHA = AdapSetting.model_fields["alpha"].default  # what the series `adap-*` run with
SIMILAR = 1.25  # our reading of "similar": regrets within a quarter of each other


def adap_ucb_has_the_rate_of_lazy_ucb(tables) -> Finding:
    """A theorem; beside it the ratio of regrets at the end over that a thousand times earlier."""
    both = pd.concat([tables("fig1_long"), tables("fig2_long")])
    at_end = _ratios(both, "adap-ucb", "anytime-lazy-ucb")
    early = both["t"].unique()
    early = both[both["t"] <= early[abs(early - both["t"].max() / 1000).argmin()]]
    drift = {
        panel: Interval(b.value / a.value, b.low / a.high, b.high / a.low)
        for panel, a in _ratios(early, "adap-ucb", "anytime-lazy-ucb").items()
        for b in [at_end[panel]]
    }
    (lowest, highest), (least, most) = _ends(drift), _ends(at_end)
    numbers = {"panels": len(drift), "early": early["t"].max(), "late": both["t"].max()}
    numbers |= {"lowest": lowest, "highest": highest, "least": least, "most": most, "alpha": ALPHA}
    return Finding(numbers=numbers, points=_panel_points(drift, "ratio late / ratio early"))


def _panel_points(found: dict, panel: str, **more):
    intervals = pd.DataFrame(list(found.values()))
    ends = {"low": intervals["low"], "high": intervals["high"]}
    axes = ("instance, ε", "ratio of regrets")
    return points(map(_named, found), intervals["value"], panel=panel, axes=axes, **ends, **more)


def _ratios(table: pd.DataFrame, one: str, other: str) -> dict[tuple[str, float], Interval]:
    """Regret of one over that of the other in each panel, a setting and an epsilon."""
    panels = table[["setting", "epsilon"]].drop_duplicates().itertuples(index=False, name=None)
    return {(s, e): ratio_of(table, one, other, Z_CLAIM, setting=s, epsilon=e) for s, e in panels}


def _named(panel: tuple[str, float]) -> str:
    return f"{panel[0]}, {panel[1]:g}"


def _ends(found: dict) -> tuple[float, float]:
    values = [interval.value for interval in found.values()]
    return min(values), max(values)


def section_6(tables) -> dict[str, Finding]:
    data = pd.concat([tables(name) for name in PANELS])
    return {"printed": some_alpha(tables, data), "better than the others": better(data)}


def similar(interval: Interval) -> bool:
    return interval.high > 1 / SIMILAR and interval.low < SIMILAR


def _listed(found: dict) -> str:
    return "; ".join(f"{setting}, ε = {e:g}: {i}" for (setting, e), i in found.items())


def better(data: pd.DataFrame) -> Finding:
    found = {name: _ratios(data, name, "lazy-dp-ts") for name in ("dp-se", "anytime-lazy-ucb")}
    intervals = [interval for each in found.values() for interval in each.values()]
    numbers = {
        "panels": len(intervals) // 2,
        "runs": data["runs"].max(),
        "clear": sum(interval.low > 1 for interval in intervals),
        "comparisons": len(intervals),
        "ratios": ". ".join(f"{name}: {_listed(each)}" for name, each in found.items()),
    }
    worse = any(interval.high < 1 for interval in intervals)
    panel = "better than both others?"
    plots = [
        _panel_points(each, panel, at_least=1, series=f"{name} / lazy-dp-ts")
        for name, each in found.items()
    ]
    return Finding("rejected" if worse else "consistent", numbers, plots)


def some_alpha(tables, data: pd.DataFrame) -> Finding:
    """Is there one alpha that brings AdaP-KLUCB within 25% of Lazy-DP-TS in all panels?"""
    lazy = final(data, algorithm="lazy-dp-ts").set_index(["setting", "epsilon"])
    table = beside(lazy, final(tables("adap_alpha"), algorithm="adap-klucb"))
    by_alpha: dict[float, dict] = {}
    for _, row in table.iterrows():
        place = (row["setting"], row["epsilon"])
        found = ratio(lazy.loc[place], row, Z_CLAIM)
        by_alpha.setdefault(row["alpha"], {})[place] = found
    hits = {a: sum(map(similar, found.values())) for a, found in by_alpha.items()}
    best = max(hits, key=lambda a: hits[a])
    panels, ratios = len(by_alpha[best]), by_alpha[best]
    farthest = max(ratios.values(), key=lambda i: max(i.value, 1 / i.value))
    numbers = {
        "alphas": ", ".join(f"{a:g}" for a in hits),
        "panels": panels,
        "runs": table["runs"].max(),
        "hits": ", ".join(f"α = {a:g} in {n}" for a, n in hits.items() if n) or "none",
        "best": best,
        "in_best": hits[best],
        "ratios": _listed(ratios),
        "farthest": max(farthest.value, 1 / farthest.value),
        "low": 1 / SIMILAR,
        "high": SIMILAR,
    }
    limits = {"at_least": 1 / SIMILAR, "at_most": SIMILAR}
    drawn = _panel_points(ratios, f"similar (α = {best:g})?", **limits)
    return Finding("consistent" if hits[best] == panels else "rejected", numbers, drawn)
