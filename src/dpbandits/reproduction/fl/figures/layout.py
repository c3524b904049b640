"""What FL's figures share: the names of presets, published form, and panels by epsilon.

Every curve with an epsilon says how private it is: certified private ones are solid, the others
dashed, with the epsilon they have in the legend or in the panel's title.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Plot
from dpbandits.reproduction.plots.style import band, epsilon_look, look, not_private, privacy_of
from dpbandits.reproduction.statistics import NORMAL_95
from dpbandits.sparse.problem import SparseSetting

SERIES = {
    "fliphat-released": "FLIPHAT, released",
    "fliphat-corrected": "FLIPHAT, corrected",
    "fliphat-zcdp": "FLIPHAT, zcdp, printed R",
    "fliphat-zcdp-clip": "FLIPHAT, zcdp, rewards clipped",
    "dp-signs": "dp-signs",
    "jdp-linucb-best": "jdp-linucb, best width",
    "fliphat-printed": "FLIPHAT, printed",  # drawn last: others hide it
}
# Proved where contexts are clipped, or only their signs are read: docs/proofs/FL.md, B and C, and
# the accountant of `corrected`. jdp-linucb: Shariff and Sheffet 2018, Theorem 5.
PRIVATE = "certified (ε, δ)-private"
RELEASED = "fliphat-released"
FREE = "ε = ∞"  # a curve that promises nothing
REFERENCE = {
    name: look(name) | {"linestyle": dash, "marker": None}
    for name, dash in (("random-arm", ":"), ("sa-lasso", "-."))
}
OVER_RANDOM = Plot("epsilon", curve="algorithm", log="xy", x_label="ε",
                   y_label="regret / random arm's")  # fmt: skip
SHARES_OF_1 = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)  # ticks
REFERENCE_NAMES = {"random-arm": "random-arm", "sa-lasso": "sa-lasso, not private"}


def instance(*keys: str) -> str:
    """Parameters of the default setting, that of the released experiments."""
    signs = {"d": "d", "arms": "K", "sparsity": "s", "true_sparsity": "s*", "rho": "ρ"}
    signs |= {"sigma": "σ", "delta": "δ"}
    return ", ".join(f"{signs[key]} = {getattr(SparseSetting(), key):g}" for key in keys)


def privacy_label(series: str) -> str:
    """How private a series is, for legends and titles."""
    return privacy_of(series) if series in not_private() else PRIVATE


def published_form(data: pd.DataFrame, plot: Plot):
    """The released constants at each epsilon: (figure, axes)."""
    own = data[data["algorithm"] == RELEASED].sort_values("epsilon")
    canvas, axes = curves(own, plot, width="half", height=4, series=RELEASED)
    ax = axes[""]
    for line in ax.lines:
        line.set_markevery(1 if len(own) < 80 else 0.12)
    ax.set_title(f"released constants ({privacy_label(RELEASED)})")
    return canvas, ax


def preset_panels(data: pd.DataFrame, plot: Plot, **more):
    """A panel per epsilon, a curve per preset: (figure, axes)."""
    order = [*SERIES]
    own = data[np.isfinite(data["epsilon"]) & data["algorithm"].isin(SERIES)]
    own = own.sort_values(by="algorithm", key=lambda names: names.map(order.index), kind="stable")
    own = own.sort_values("epsilon", kind="stable")
    options = {"height": 3.1, "names": SERIES, "columns": min(3, own["epsilon"].nunique())} | more
    return curves(own, replace(plot, curve="algorithm", panel="epsilon"), **options)


def draw_references(ax, data: pd.DataFrame) -> None:
    """The curves over time that have no epsilon."""
    for name, style in REFERENCE.items():
        rows = data[data["algorithm"] == name]
        band(ax, rows, "t", REFERENCE_NAMES[name], style, series=name)


def overlay(ax, points: pd.DataFrame, label: str, color: str = "") -> None:
    """Published means over K with 95% bars, as open rings."""
    ring = {"mfc": "none", "ms": 6, "marker": "o", "ls": ""}
    for epsilon, own in points.groupby("epsilon"):
        style = ring | {"color": color or epsilon_look(epsilon)["color"], "elinewidth": 1}
        bars = ax.errorbar(own["arms"], own["mean"], NORMAL_95 * own["sem"], zorder=6, **style)
        bars[0].set_gid(RELEASED)
    ax.plot([], [], label=label, color=color or "#666666", **ring)


def ceiling(ax, idle: pd.DataFrame, t: float) -> None:
    """The regret of a random arm at round t, which depends neither on d nor on s."""
    idle = idle[(idle["algorithm"] == "random-arm") & (idle["metric"] == "regret")].iloc[-1]
    level = idle["mean"] / idle["t"] * t
    ax.axhline(level, label="random-arm, for any d", **REFERENCE["random-arm"])
