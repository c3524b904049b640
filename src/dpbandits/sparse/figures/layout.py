"""What FL's figures share: a panel per preset, a colour per epsilon, published values as rings."""

import numpy as np
import pandas as pd

from dpbandits.core.style import DASHES, MARKERS, OKABE_ITO, band, panels

SERIES = {
    "fliphat-released": "released (selection noise reused)",
    "fliphat-fresh": "released, fresh noise",
    "fliphat-printed": "printed constants",
    "fliphat-corrected": "corrected (really private)",
}
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0)
REFERENCE = {
    "random-arm": {"color": "#555555", "linestyle": ":", "marker": None},
    "sa-lasso": {"color": "#000000", "linestyle": "--", "marker": None},
}


def epsilon_look(epsilon: float) -> dict:
    slot = EPSILONS.index(epsilon) if epsilon in EPSILONS else len(EPSILONS)
    return {"color": OKABE_ITO[slot], "linestyle": DASHES[0], "marker": MARKERS[slot]}


def preset_panels(tables: list[pd.DataFrame], **options):
    """(figure, [(series, axes, its rows)]) for the four presets, two by two."""
    data = pd.concat(tables, ignore_index=True)
    figure, axes = panels(2, 2, height=2.6, sharex=True, sharey=True, **options)
    places = []
    for ax, (series, title) in zip(axes.flat, SERIES.items(), strict=True):
        rows = data[data["algorithm"] == series]
        ax.set_title(title)
        places.append((series, ax, rows))
    return figure, places


def epsilon_bands(ax, rows: pd.DataFrame, x: str, label=None) -> None:
    """One line with its band per epsilon; `label(epsilon, rows)` may add to the legend."""
    for epsilon, own in rows.groupby("epsilon", sort=True):
        extra = label(epsilon, own) if label else ""
        band(ax, own, x, f"ε = {epsilon:g}{extra}", epsilon_look(epsilon))


def label_outer(figure, places, x: str, y: str) -> None:
    for i, (_, ax, _) in enumerate(places):
        if i >= 2:
            ax.set_xlabel(x)
        if i % 2 == 0:
            ax.set_ylabel(y)


def overlay(ax, points: pd.DataFrame, x: str) -> None:
    """Published means with 95% bars, as open rings."""
    for epsilon, own in points.groupby("epsilon"):
        ax.errorbar(
            own[x], own["mean"], yerr=1.96 * own["sem"], fmt="o", markersize=4.5, lw=0.8,
            markerfacecolor="none", color=epsilon_look(epsilon)["color"], zorder=5,
        )  # fmt: skip
    ax.plot([], [], "o", markersize=4.5, color="#666666", markerfacecolor="none", label="published")


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
