"""Checks of what HU says of its figures and of AdaP-UCB, from the tables."""

import pandas as pd

from dpbandits.reproduction.hu.summaries import Z_CLAIM, final
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.evidence import evidence
from dpbandits.reproduction.statistics import Interval, ratio
from dpbandits.stochastic.problem import AdapSetting

ALPHA = AdapSetting.model_fields["alpha"].default  # what the series `adap-*` run with
SIMILAR = 1.25  # ours: the paper gives no number for "similar"


def adap_ucb_has_the_rate_of_lazy_ucb(tables) -> Finding:
    """A theorem; beside it the ratio of regrets at the end over that a thousand times earlier."""
    table = pd.concat([tables("fig1_long"), tables("fig2_long")])
    times = table["t"].unique()
    early_t = times[abs(times - table["t"].max() / 1000).argmin()]
    late, early = (
        ratios_by_panel(panels_of(rows, "adap-ucb"), panels_of(rows, "anytime-lazy-ucb"))
        for rows in (table, table[table["t"] <= early_t])
    )
    ends = {"low": late["low"] / early["high"], "high": late["high"] / early["low"]}
    drift = pd.DataFrame({"value": late["value"] / early["value"], **ends})
    numbers = {"panels": len(drift), "early": early_t, "late": table["t"].max(), "alpha": ALPHA}
    numbers |= {"lowest": drift["value"].min(), "highest": drift["value"].max()}
    numbers |= {"least": late["value"].min(), "most": late["value"].max()}
    return Finding(numbers=numbers, points=of_ratios(drift))


def panels_of(table: pd.DataFrame, algorithm: str) -> pd.DataFrame:
    """Its regret at the last checkpoint, by setting and epsilon."""
    return final(table, algorithm=algorithm).set_index(["setting", "epsilon"])


def ratios_by_panel(above: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """Intervals of the ratios of the means, where there are both."""
    return pd.DataFrame(vars(ratio(above, below, Z_CLAIM))).dropna()


def of_ratios(ratios: pd.DataFrame, **limits) -> pd.DataFrame:
    return evidence(ratios["value"], low=ratios["low"], high=ratios["high"], **limits)


def listed(ratios: pd.DataFrame) -> str:
    rows = ratios.iterrows()
    return "; ".join(f"{setting}, ε = {e:g}: {Interval(**row)}" for (setting, e), row in rows)


def cell(panel: tuple[str, float]) -> str:
    """What the number of a panel is called in claims.toml: "linear 0.25"."""
    return f"{panel[0]} {panel[1]:g}"


PANELS = [(setting, epsilon) for setting in ("linear", "equal") for epsilon in (0.25, 0.5, 1)]
NOT_RUN = {cell(panel): "not in this run" for panel in PANELS}


def panel_of(panel: tuple[str, float]) -> str:
    return f"Figure {1 if panel[0] == 'linear' else 2}, ε = {panel[1]:g}"


def extremes(values: dict[str, float]) -> dict:
    """The least and the largest ratio, and where they are."""
    least, most = min(values, key=values.get), max(values, key=values.get)
    return {"least": values[least], "least at": least, "most": values[most], "most at": most}


def better(tables) -> Finding:
    """Is the regret of Lazy-DP-TS below that of both others?"""
    data = pd.concat([tables("fig1"), tables("fig2")])
    rivals = {
        name: ratios_by_panel(panels_of(data, name), panels_of(data, "lazy-dp-ts"))
        for name in ("dp-se", "anytime-lazy-ucb")
    }
    intervals = pd.concat(rivals)
    values = {f"{name}, {panel_of(at)}": v for (name, *at), v in intervals["value"].items()}
    numbers = NOT_RUN | extremes(values) | {"comparisons": len(intervals)}
    numbers |= {"panels": len(intervals) // 2, "clear": (intervals["low"] > 1).sum()}
    numbers |= {"runs": data["runs"].max()}
    numbers["ratios"] = ". ".join(f"{name}: {listed(own)}" for name, own in rivals.items())
    for panel in rivals["dp-se"].index:
        cells = (f"{name} {ratios['value'][panel]:.2f} times" for name, ratios in rivals.items())
        numbers[cell(panel)] = ", ".join(cells)
    return Finding(numbers=numbers, points=of_ratios(intervals, at_least=1))


def similar(ratios: pd.DataFrame) -> pd.Series:
    return (ratios["high"] > 1 / SIMILAR) & (ratios["low"] < SIMILAR)


def some_alpha(tables) -> Finding:
    """Is there one alpha that brings AdaP-KLUCB within 25% of Lazy-DP-TS in all panels?"""
    lazy = panels_of(pd.concat([tables("fig1"), tables("fig2")]), "lazy-dp-ts")
    klucb = panels_of(tables("adap_alpha"), "adap-klucb")
    by_alpha = {a: ratios_by_panel(rows, lazy) for a, rows in klucb.groupby("alpha", sort=False)}
    hits = {alpha: similar(ratios).sum() for alpha, ratios in by_alpha.items()}
    best = max(hits, key=hits.get)
    ratios = by_alpha[best]
    found = ", ".join(f"α = {alpha:g} in {n}" for alpha, n in hits.items() if n)
    values = {panel_of(panel): value for panel, value in ratios["value"].items()}
    numbers = NOT_RUN | extremes(values) | {"alphas": ", ".join(f"{alpha:g}" for alpha in hits)}
    numbers |= {"panels": len(ratios), "runs": klucb["runs"].max(), "ratios": listed(ratios)}
    numbers |= {"best": best, "in_best": hits[best], "hits": found or "none"}
    numbers |= {"low": 1 / SIMILAR, "high": SIMILAR}
    for panel, row in ratios.iterrows():
        numbers[cell(panel)] = f"adap-klucb {Interval(**row)} times"
    found = of_ratios(ratios, at_least=1 / SIMILAR, at_most=SIMILAR)
    return Finding("consistent" if hits[best] == len(ratios) else "untestable", numbers, found)
