"""What FL's figures share: a panel per preset, published values as rings.

Every curve with an epsilon says how private it is: certified private ones are solid, the others
dashed, with their real epsilon in the legend or in the panel's title.
"""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import NORMAL_95
from dpbandits.reproduction.plots.style import (
    band,
    epsilon_look,
    epsilon_name,
    look,
    not_private,
    panels,
)
from dpbandits.sparse.problem import SparseSetting

SERIES = {
    "fliphat-released": "released (selection noise reused)",
    "fliphat-fresh": "released, fresh noise",
    "fliphat-printed": "printed constants",
    "fliphat-corrected": "corrected",
    "fliphat-zcdp": "zcdp, printed R",
    "fliphat-zcdp-clip": "zcdp, rewards clipped",
    "dp-signs": "dp-signs",
}
# Proved where contexts are clipped, or only their signs are read: docs/proofs/FL.md, B and C, and
# the accountant of `corrected`. jdp-linucb: Shariff and Sheffet 2018, Theorem 5.
PRIVATE = "certified (ε, δ)-private"
FREE = "ε = ∞"  # a curve that promises nothing
REFERENCE = {
    name: look(name) | {"linestyle": dash, "marker": None}
    for name, dash in (("random-arm", ":"), ("sa-lasso", "-."))
}


def instance(*keys: str) -> str:
    """Parameters of the default setting, that of the released experiments, for a caption."""
    signs = {"d": "d", "arms": "K", "sparsity": "s", "true_sparsity": "s*", "rho": "ρ"}
    signs |= {"sigma": "σ", "delta": "δ"}
    return ", ".join(f"{signs[key]} = {getattr(SparseSetting(), key):g}" for key in keys)


def privacy_label(series: str) -> str:
    """How private a series is, for legends and titles."""
    return f"not private: real ε {not_private()[series]}" if series in not_private() else PRIVATE


def at_epsilons(values: pd.Series) -> str:
    """Values with their epsilons, the index of the series, for a sentence."""
    return ", ".join(f"{value:.2f} (ε={epsilon:g})" for epsilon, value in values.items())


def preset_panels(data: pd.DataFrame, x: str, y: str, strip: str = ""):
    """A figure, and (series, axes, its rows, strip) for each panel.

    The three series that are not private are above, the four that are below. With a label for it,
    there is a strip of axes below each of the three; else it is None.
    """
    rows = {"height_ratios": [3, 1.2, 3], "sharey": "row"} if strip else {"sharey": True}
    figure, axes = panels(2 + bool(strip), 4, height=2.6, width=2.7, sharex=True, x=x, y=y, **rows)
    for ax in axes[:-1, 3]:
        ax.set_axis_off()
    strips = [*axes[1, :3]] if strip else [None] * 3
    if strip:
        axes[1, 0].set_ylabel(strip)
    places = []
    for ax, strip_ax, (series, title) in zip(
        [*axes[0, :3], *axes[-1]], strips + [None] * 4, SERIES.items(), strict=True
    ):
        ax.set_title(f"{title}\n{privacy_label(series)}", fontsize=7.5)
        places.append((series, ax, data[data["algorithm"] == series], strip_ax))
    return figure, places


def epsilon_bands(ax, rows: pd.DataFrame, x: str, series: str = "", preset: str = "") -> None:
    """One line with its band per epsilon; `preset` is named where no panel's title does.

    Where the title says how private they are, the private curves alone are in the legend.
    """
    series = series or rows["algorithm"].iloc[0]
    for epsilon, own in rows.groupby("epsilon", sort=True):
        label = ", ".join(filter(None, (epsilon_name(epsilon), preset)))
        label = label if preset or series not in not_private() else ""
        named = FREE if np.isinf(epsilon) else series
        band(ax, own, x, label, epsilon_look(epsilon), series=named)


def at_ends(ax, rows: pd.DataFrame, x: str, text_of) -> None:
    """`text_of(epsilon, rows)` beside the last point of each epsilon's line, right of the frame."""
    ends = sorted(
        (own["mean"].iloc[-1], epsilon, text_of(epsilon, own))
        for epsilon, own in rows.sort_values(x).groupby("epsilon")
    )
    low, high = ax.get_ylim()
    gap, heights = 0.085 * (high - low), []
    for y, *_ in ends:  # keep a gap from the text below, then move all below the frame's top
        heights.append(max(y, heights[-1] + gap) if heights else y)
    for i, (_, epsilon, text) in enumerate(ends):
        height = min(heights[i], high - gap * (len(ends) - 1 - i))
        place = {"xycoords": ax.get_yaxis_transform(), "fontsize": 6, "va": "center"}
        ax.annotate(text, (1.01, height), color=epsilon_look(epsilon)["color"], **place)


def overlay(ax, points: pd.DataFrame, x: str) -> None:
    """Published means with 95% bars, as open rings."""
    for epsilon, own in points.groupby("epsilon"):
        ax.errorbar(
            own[x], own["mean"], yerr=NORMAL_95 * own["sem"], fmt="o", markersize=4.5, lw=0.8,
            markerfacecolor="none", color=epsilon_look(epsilon)["color"], zorder=5,
        )[0].set_gid("fliphat-released")  # fmt: skip
    ring = {"markersize": 4.5, "color": "#666666", "markerfacecolor": "none"}
    ax.plot([], [], "o", label=f"published ({privacy_label('fliphat-released')})", **ring)


def residual_strip(ax, both: pd.DataFrame, x: str) -> None:
    """Rings about 0, linear within five standard errors; shaded: within two."""
    ax.axhspan(-2, 2, color="#999999", alpha=0.25, lw=0, label="within two standard errors")
    ax.axhline(0, color="#666666", lw=0.8)
    for epsilon, own in both.groupby("epsilon"):
        ax.plot(own[x], own["z"], ms=3, mfc="none", **epsilon_look(epsilon) | {"linestyle": ""})
    ax.set_yscale("symlog", linthresh=5, linscale=1.5)
    ax.set_yticks([-100, -5, 0, 5, 100], ["-100", "-5", "0", "5", "100"])
    ax.set_yticks([], minor=True)
