"""Checks of what HU says of its figures and of AdaP-UCB, from the tables."""

import pandas as pd

from dpbandits.reproduction.hu.summaries import Z_CLAIM, final, ratio_of
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.statistics import Interval, ratio
from dpbandits.stochastic.problem import AdapSetting

ALPHA = AdapSetting.model_fields["alpha"].default  # what the series `adap-*` run with
SIMILAR = 1.25  # ours: the paper gives no number for "similar"

Ratios = dict[tuple[str, float], Interval]  # by panel: setting and epsilon


def adap_ucb_has_the_rate_of_lazy_ucb(tables) -> Finding:
    """A theorem; beside it the ratio of regrets at the end over that a thousand times earlier."""
    table = pd.concat([tables("fig1_long"), tables("fig2_long")])
    late = ratios_by_panel(table, "adap-ucb", "anytime-lazy-ucb")
    times = table["t"].unique()
    early_t = times[abs(times - table["t"].max() / 1000).argmin()]
    early = ratios_by_panel(table[table["t"] <= early_t], "adap-ucb", "anytime-lazy-ucb")
    drift = {}
    for panel, a in early.items():
        b = late[panel]
        drift[panel] = Interval(b.value / a.value, b.low / a.high, b.high / a.low)
    drifts, ratios = ([interval.value for interval in x.values()] for x in (drift, late))
    numbers = {"panels": len(drift), "early": early_t, "late": table["t"].max(), "alpha": ALPHA}
    numbers |= {"lowest": min(drifts), "highest": max(drifts)}
    numbers |= {"least": min(ratios), "most": max(ratios)}
    return Finding(numbers=numbers, points=ratio_points(drift, "ratio late / ratio early"))


def ratios_by_panel(table: pd.DataFrame, above: str, below: str) -> Ratios:
    """Regret of one algorithm over that of another at the last checkpoint."""
    panels = table[["setting", "epsilon"]].drop_duplicates().itertuples(index=False, name=None)
    return {
        (setting, epsilon): ratio_of(table, above, below, Z_CLAIM, setting=setting, epsilon=epsilon)
        for setting, epsilon in panels
    }


def ratio_points(ratios: Ratios, panel: str, **options) -> pd.DataFrame:
    frame = pd.DataFrame(list(ratios.values()))
    names = [f"{setting}, {epsilon:g}" for setting, epsilon in ratios]
    axes = ("instance, ε", "ratio of regrets")
    ends = {"low": frame["low"], "high": frame["high"]}
    return points(names, frame["value"], panel=panel, axes=axes, **ends, **options)


def listed(ratios: Ratios) -> str:
    return "; ".join(f"{setting}, ε = {e:g}: {i}" for (setting, e), i in ratios.items())


def cell(panel: tuple[str, float]) -> str:
    """What the number of a panel is called in claims.toml: "linear 0.25"."""
    return f"{panel[0]} {panel[1]:g}"


PANELS = [(setting, epsilon) for setting in ("linear", "equal") for epsilon in (0.25, 0.5, 1)]
NOT_RUN = {cell(panel): "not in this run" for panel in PANELS}


def section_6(tables) -> dict[str, Finding]:
    data = pd.concat([tables("fig1"), tables("fig2")])
    return {"printed": some_alpha(tables, data), "better than the others": better(data)}


def panel_of(panel: tuple[str, float]) -> str:
    return f"Figure {1 if panel[0] == 'linear' else 2}, ε = {panel[1]:g}"


def extremes(ratios: dict) -> dict:
    """The least and the largest ratio, and where they are."""
    found = {}
    for name, choose in (("least", min), ("most", max)):
        at = choose(ratios, key=lambda key: ratios[key].value)
        found |= {name: ratios[at].value, f"{name} at": at}
    return found


def better(data: pd.DataFrame) -> Finding:
    """Is the regret of Lazy-DP-TS below that of both others?"""
    rivals = {
        name: ratios_by_panel(data, name, "lazy-dp-ts") for name in ("dp-se", "anytime-lazy-ucb")
    }
    every = {
        f"{name}, {panel_of(panel)}": interval
        for name, ratios in rivals.items()
        for panel, interval in ratios.items()
    }
    intervals = list(every.values())
    numbers = (
        NOT_RUN
        | extremes(every)
        | {
            "panels": len(intervals) // 2,
            "runs": data["runs"].max(),
            "clear": sum(interval.low > 1 for interval in intervals),
            "comparisons": len(intervals),
            "ratios": ". ".join(f"{name}: {listed(ratios)}" for name, ratios in rivals.items()),
        }
    )
    for panel in next(iter(rivals.values())):
        cells = (f"{name} {ratios[panel].value:.2f} times" for name, ratios in rivals.items())
        numbers[cell(panel)] = ", ".join(cells)
    plots = [
        ratio_points(ratios, "better than both others?", at_least=1, series=f"{name} / lazy-dp-ts")
        for name, ratios in rivals.items()
    ]
    worse = any(interval.high < 1 for interval in intervals)
    return Finding("rejected" if worse else "consistent", numbers, plots)


def similar(interval: Interval) -> bool:
    return interval.high > 1 / SIMILAR and interval.low < SIMILAR


def some_alpha(tables, data: pd.DataFrame) -> Finding:
    """Is there one alpha that brings AdaP-KLUCB within 25% of Lazy-DP-TS in all panels?"""
    lazy = final(data, algorithm="lazy-dp-ts").set_index(["setting", "epsilon"])
    klucb = final(tables("adap_alpha"), algorithm="adap-klucb")
    by_alpha: dict[float, Ratios] = {}
    for _, row in klucb.iterrows():
        panel = (row["setting"], row["epsilon"])
        if panel in lazy.index:
            by_alpha.setdefault(row["alpha"], {})[panel] = ratio(row, lazy.loc[panel], Z_CLAIM)
    hits = {alpha: sum(map(similar, ratios.values())) for alpha, ratios in by_alpha.items()}
    best = max(hits, key=hits.get)
    ratios = by_alpha[best]
    numbers = (
        NOT_RUN
        | extremes({panel_of(panel): i for panel, i in ratios.items()})
        | {
            "alphas": ", ".join(f"{alpha:g}" for alpha in hits),
            "panels": len(ratios),
            "runs": klucb["runs"].max(),
            "hits": ", ".join(f"α = {alpha:g} in {n}" for alpha, n in hits.items() if n) or "none",
            "best": best,
            "in_best": hits[best],
            "ratios": listed(ratios),
            **{cell(panel): f"adap-klucb {interval} times" for panel, interval in ratios.items()},
            "low": 1 / SIMILAR,
            "high": SIMILAR,
        }
    )
    limits = {"at_least": 1 / SIMILAR, "at_most": SIMILAR}
    drawn = ratio_points(ratios, f"similar (α = {best:g})?", **limits)
    return Finding("consistent" if hits[best] == len(ratios) else "untestable", numbers, drawn)
