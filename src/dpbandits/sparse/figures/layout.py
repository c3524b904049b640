"""What FL's figures share: a panel per preset, a colour per epsilon, published values as rings.

Every curve that carries an epsilon says what it is worth: certified private in full strokes, the
others dashed, with their real epsilon in the panel's title or the legend.
"""

import numpy as np
import pandas as pd

from dpbandits.core.style import DASHES, MARKERS, OKABE_ITO, band, panels

SERIES = {
    "fliphat-released": "released (selection noise reused)",
    "fliphat-fresh": "released, fresh noise",
    "fliphat-printed": "printed constants",
    "fliphat-corrected": "corrected",
    "fliphat-zcdp": "zcdp, printed R",
    "fliphat-zcdp-clip": "zcdp, rewards clipped",
    "dp-signs": "dp-signs",
}
# Proved: contexts are clipped or only their signs are read (docs/proofs/FL.md, B and C; the
# accountant of `corrected`). jdp-linucb: Shariff and Sheffet 2018, Theorem 5.
CERTIFIED = ("fliphat-corrected", "fliphat-zcdp", "fliphat-zcdp-clip", "dp-signs", "jdp-linucb")
# Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4).
NOT_PRIVATE = "not private: real ε = ∞"
PRIVATE = "certified (ε, δ)-private"
PRESET_COLOURS = dict(zip(("released", "printed", "corrected", "zcdp"), OKABE_ITO, strict=False))
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0)
REFERENCE = {
    "random-arm": {"color": "#555555", "linestyle": ":", "marker": None},
    "sa-lasso": {"color": "#000000", "linestyle": (0, (3, 1, 1, 1)), "marker": None},
}


def worth(series: str) -> str:
    """What the epsilon of a series' curves is worth."""
    return PRIVATE if series in CERTIFIED else NOT_PRIVATE


def dash(series: str) -> str:
    return DASHES[0] if series in CERTIFIED else DASHES[1]


def epsilon_look(epsilon: float, series: str) -> dict:
    slot = EPSILONS.index(epsilon) if epsilon in EPSILONS else len(EPSILONS)
    return {"color": OKABE_ITO[slot], "linestyle": dash(series), "marker": MARKERS[slot]}


def preset_panels(tables: list[pd.DataFrame], **options):
    """(figure, [(series, axes, its rows)], the free axes): above the three that are not private,
    below the four that are; the free ones at the end of the first row hold the legend."""
    data = pd.concat(tables, ignore_index=True)
    figure, axes = panels(2, 4, height=2.6, width=2.7, sharex=True, sharey=True, **options)
    free, spots = axes[0, 3], [*axes[0, :3], *axes[1]]
    free.set_axis_off()
    axes[0, 2].tick_params(labelbottom=False)
    places = []
    for ax, (series, title) in zip(spots, SERIES.items(), strict=True):
        rows = data[data["algorithm"] == series]
        ax.set_title(f"{title}\n{worth(series)}", fontsize=7.5)
        places.append((series, ax, rows))
    return figure, places, free


def legend_of(free, *sources) -> None:
    """One legend for all panels, from those given: each name once."""
    entries = {}
    for ax in sources:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    free.plot([], [], "k-", lw=1, label="full: certified private")
    free.plot([], [], "k--", lw=1, label="dashed: not private")
    for handle, label in zip(*free.get_legend_handles_labels(), strict=True):
        entries[label] = handle
    free.legend(entries.values(), entries.keys(), loc="center", fontsize=7)


def epsilon_bands(ax, rows: pd.DataFrame, x: str, label=None, series: str = "") -> None:
    """One line with its band per epsilon; `label(epsilon, rows)` may add to the legend."""
    series = series or rows["algorithm"].iloc[0]
    for epsilon, own in rows.groupby("epsilon", sort=True):
        extra = label(epsilon, own) if label else ""
        band(ax, own, x, f"ε = {epsilon:g}{extra}", epsilon_look(epsilon, series))


def label_outer(places, x: str, y: str) -> None:
    for i, (_, ax, _) in enumerate(places):
        if i >= 3:
            ax.set_xlabel(x)
        if i in (0, 3):
            ax.set_ylabel(y)


def overlay(ax, points: pd.DataFrame, x: str) -> None:
    """Published means with 95% bars, as open rings."""
    for epsilon, own in points.groupby("epsilon"):
        ax.errorbar(
            own[x], own["mean"], yerr=1.96 * own["sem"], fmt="o", markersize=4.5, lw=0.8,
            markerfacecolor="none", color=epsilon_look(epsilon, "")["color"], zorder=5,
        )  # fmt: skip
    ring = {"markersize": 4.5, "color": "#666666", "markerfacecolor": "none"}
    ax.plot([], [], "o", label=f"published ({NOT_PRIVATE})", **ring)


def slope(x: np.ndarray, y: np.ndarray, sem: np.ndarray) -> tuple[float, float]:
    """Least-squares slope of y on x, as in the paper's legends, and its standard error."""
    weight = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    return float(weight @ y), float(np.sqrt(np.sum((weight * sem) ** 2)))


def chi_square(points: pd.DataFrame, rows: pd.DataFrame, x: str) -> tuple[float, int, float]:
    """Published against simulated means: chi-square over points, their number, the p-value."""
    from scipy.stats import chi2

    rows = rows.astype({"epsilon": float})
    both = points.merge(rows, on=["epsilon", x], suffixes=("_published", ""))
    z = (both["mean_published"] - both["mean"]) / np.hypot(both["sem_published"], both["sem"])
    total = float(np.sum(z**2))
    return total, len(both), float(chi2.sf(total, len(both)))
