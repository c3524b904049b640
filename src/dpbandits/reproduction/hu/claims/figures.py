"""Checks of what HU says of its figures and of AdaP-UCB, from the tables."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu.summaries import Z_CLAIM, final
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.statistics import Interval, ratios_over, span
from dpbandits.stochastic.problem import AdapSetting

ALPHA = AdapSetting.model_fields["alpha"].default  # what the series `adap-*` run with
SIMILAR, OFF = 1.25, 2  # ours: the paper gives no number for "similar"
UNDECIDED = (
    r"'similar' has no number in the paper, and $\alpha$ of AdaP-KLUCB no value; ours: consistent "
    r"if one $\alpha$ is within {:.0%} in every panel, rejected if at every $\alpha$ a panel is "
    "off by a factor of {:g}"
)


def adap_ucb_has_the_rate_of_lazy_ucb(tables) -> Finding:
    """A theorem; beside it the ratio of regrets at the end over that a thousand times earlier."""
    table = pd.concat([tables("fig1_long"), tables("fig2_long")])
    times = table["t"].unique()
    early_t = times[abs(times - table["t"].max() / 1000).argmin()]
    late, early = (
        by_panel(rows, "anytime-lazy-ucb")["adap-ucb"]
        for rows in (table, table[table["t"] <= early_t])
    )
    ends = {"low": late["low"] / early["high"], "high": late["high"] / early["low"]}
    drift = pd.DataFrame({"mean": late["mean"] / early["mean"], **ends})
    numbers = {"panels": len(drift), "early": early_t, "late": table["t"].max(), "alpha": ALPHA}
    numbers |= {"lowest": drift["mean"].min(), "highest": drift["mean"].max()}
    numbers |= {"least": late["mean"].min(), "most": late["mean"].max()}
    return Finding(numbers=numbers, points=of_ratios(drift))


def by_panel(table: pd.DataFrame, name: str) -> dict[str, pd.DataFrame]:
    """Of each other algorithm the ratios of its regret in the end to that of `name`, with their
    intervals, by setting and epsilon."""
    keys = ["setting", "epsilon"]
    ratios = ratios_over(final(table), name, keys, Z_CLAIM).dropna(subset="mean").set_index(keys)
    return {other: own[["mean", "low", "high"]] for other, own in ratios.groupby("algorithm")}


def of_ratios(ratios: pd.DataFrame, **limits) -> pd.DataFrame:
    return points_of(ratios["mean"], low=ratios["low"], high=ratios["high"], **limits)


def listed(ratios: pd.DataFrame) -> str:
    rows = ratios.iterrows()
    return "; ".join(f"{setting}, ε = {e:g}: {Interval(*row)}" for (setting, e), row in rows)


PUBLISHED = {  # setting and epsilon of the paper's panels; what a run has is in config/hu.yaml
    ("linear", 0.25): "Figure 1 (a)", ("equal", 0.25): "Figure 2 (a)",
    ("linear", 0.5): "Figure 1 (b)", ("equal", 0.5): "Figure 2 (b)",
    ("linear", 1): "Figure 1 (c)", ("equal", 1): "Figure 2 (c)",
}  # fmt: skip
NONE = "this run has none of the published panels"


def drawn(tables) -> dict[tuple[str, float], dict]:
    """Each panel of our two figures, with its picture."""
    found = {}
    for name in ("fig1", "fig2"):
        panels = tables(name)[["setting", "epsilon"]].drop_duplicates().itertuples(index=False)
        picture = {"picture": f"hu/{name}"}
        found |= {tuple(panel): picture for panel in panels if np.isfinite(panel.epsilon)}
    return found


def judged(ratios: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """The ratios in published panels, and whether there are any; what is not published is not
    judged, and what a run does not have neither."""
    printed = ratios[[at in PUBLISHED for at in ratios.index.to_list()]]
    return (printed, True) if len(printed) else (ratios, False)


def name_of(panel: tuple[str, float]) -> str:
    return PUBLISHED.get(panel) or f"{panel[0]} gaps, ε = {panel[1]:g}"


def each_panel(tables, texts: dict[tuple[str, float], str]) -> list[dict[str, str]]:
    """A published panel that this run has: its name, our picture of it, and what was found."""
    places, run = drawn(tables), sorted({*PUBLISHED} & {*texts}, key=PUBLISHED.get)
    names = {at: f"{PUBLISHED[at]}, ε = {at[1]:g}" for at in run}
    return [places[at] | {"panel": names[at], "found": texts[at]} for at in run]


def extremes(values: dict[str, float]) -> dict:
    """The least and the largest ratio, and where they are."""
    least, most = min(values, key=values.get), max(values, key=values.get)
    return {"least": values[least], "least at": least, "most": values[most], "most at": most}


def better(tables) -> Finding:
    """Is the regret of Lazy-DP-TS below that of both others?"""
    data = pd.concat([tables("fig1"), tables("fig2")])
    ratios, any_printed = by_panel(data, "lazy-dp-ts"), False
    rivals = {}
    for name in ("dp-se", "anytime-lazy-ucb"):
        rivals[name], any_printed = judged(ratios[name])
    intervals = pd.concat(rivals)
    values = {f"{name}, {name_of(tuple(at))}": v for (name, *at), v in intervals["mean"].items()}
    numbers = extremes(values) | {"comparisons": len(intervals), "why": NONE}
    numbers |= {"panels": len(intervals) // 2, "clear": (intervals["low"] > 1).sum()}
    numbers |= {"runs": data["runs"].max()}
    numbers["ratios"] = ". ".join(f"{name}: {listed(own)}" for name, own in rivals.items())
    texts = {
        at: ", ".join(f"{name} {own['mean'][at]:.2f} times" for name, own in rivals.items())
        for at in rivals["dp-se"].index
    }
    numbers["each panel"] = each_panel(tables, texts)
    if not any_printed:
        return Finding("untestable", numbers, of_ratios(intervals))
    return Finding(numbers=numbers, points=of_ratios(intervals, at_least=1))


def within(ratios: pd.DataFrame, factor: float) -> pd.Series:
    """Whether the interval reaches within a factor of 1."""
    return (ratios["high"] > 1 / factor) & (ratios["low"] < factor)


def some_alpha(tables) -> Finding:
    """Is there one alpha that brings AdaP-KLUCB within 25% of Lazy-DP-TS in all panels? Rejected if
    at every alpha a panel is a factor of 2 off."""
    lazy = final(pd.concat([tables("fig1"), tables("fig2")]), "lazy-dp-ts")
    klucb = final(tables("adap_alpha"), "adap-klucb")
    found = {
        alpha: judged(by_panel(pd.concat([rows, lazy]), "lazy-dp-ts")["adap-klucb"])
        for alpha, rows in klucb.groupby("alpha", sort=False)
    }
    by_alpha = {alpha: ratios for alpha, (ratios, _) in found.items()}
    hits = {alpha: within(ratios, SIMILAR).sum() for alpha, ratios in by_alpha.items()}
    best = max(hits, key=hits.get)
    ratios, any_printed = found[best]
    near = within(ratios, SIMILAR)
    values = {name_of(panel): value for panel, value in ratios["mean"].items()}
    far = [f"{name_of(at)}: {value:.3g} times" for at, value in ratios["mean"][~near].items()]
    if len(far) > 2:
        far = [f"{span(ratios['mean'], '.3g')} times"]
    numbers = extremes(values) | {"alphas": ", ".join(f"{alpha:g}" for alpha in hits)}
    numbers |= {"panels": len(ratios), "runs": klucb["runs"].max(), "ratios": listed(ratios)}
    numbers |= {"best": best, "in_best": hits[best], "low": 1 / SIMILAR, "high": SIMILAR}
    numbers["hits"] = ", ".join(f"α = {alpha:g} in {n}" for alpha, n in hits.items() if n) or "none"
    numbers |= {"elsewhere": f"; elsewhere {', '.join(far)}" * bool(far), "factor": OFF}
    numbers["why"] = UNDECIDED.format(SIMILAR - 1, OFF) if any_printed else NONE
    inside = ratios["mean"].between(1 / SIMILAR, SIMILAR)
    texts = {
        panel: f"{Interval(*row)} times, "
        f"{'within' if inside[panel] else 'interval partly within' if near[panel] else 'beyond'} "
        f"a factor of {SIMILAR:g}"
        for panel, row in ratios.iterrows()
    }
    numbers["each panel"] = each_panel(tables, texts)
    values = of_ratios(ratios, at_least=1 / SIMILAR, at_most=SIMILAR)
    if not any_printed:
        return Finding("untestable", numbers, of_ratios(ratios))
    if not any(within(own, OFF).all() for own in by_alpha.values()):
        return Finding("rejected", numbers, values)
    return Finding("consistent" if near.all() else "untestable", numbers, values)
