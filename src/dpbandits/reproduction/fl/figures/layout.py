"""What FL's figures share: the names of presets, published form, and panels by epsilon.

Every curve with an epsilon says how private it is: certified private ones are solid, the others
dashed, with their real epsilon in the legend or in the panel's title.
"""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Plot
from dpbandits.reproduction.plots.style import band, epsilon_look, look, not_private, privacy_of
from dpbandits.reproduction.statistics import NORMAL_95
from dpbandits.sparse.problem import SparseSetting

SERIES = {
    "fliphat-released": "released constants",
    "fliphat-printed": "printed constants",
    "fliphat-corrected": "corrected",
    "fliphat-zcdp": "zcdp, printed R",
    "fliphat-zcdp-clip": "zcdp, rewards clipped",
    "dp-signs": "dp-signs",
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
REFERENCE_NAMES = {"random-arm": "random-arm", "sa-lasso": "sa-lasso, not private"}
ENDS = {"low": "low", "high": "high"}


def instance(*keys: str) -> str:
    """Parameters of the default setting, that of the released experiments."""
    signs = {"d": "d", "arms": "K", "sparsity": "s", "true_sparsity": "s*", "rho": "ρ"}
    signs |= {"sigma": "σ", "delta": "δ"}
    return ", ".join(f"{signs[key]} = {getattr(SparseSetting(), key):g}" for key in keys)


def privacy_label(series: str) -> str:
    """How private a series is, for legends and titles."""
    return privacy_of(series) if series in not_private() else PRIVATE


def by_epsilon(x: str, **labels) -> Plot:
    """The published form: one panel, a curve per epsilon, of the released constants."""
    return Plot(x, "mean", **ENDS, curve="epsilon", **labels)


def by_preset(x: str, **labels) -> Plot:
    """A panel per epsilon, a curve per preset."""
    return Plot(x, "mean", **ENDS, curve="algorithm", panel="epsilon", **labels)


def published_form(data: pd.DataFrame, plot: Plot, references: pd.DataFrame | None = None):
    """The released constants at each epsilon, with the curves that have none: (figure, axes)."""
    own = data[data["algorithm"] == RELEASED].sort_values("epsilon")
    canvas, axes = curves(own, plot, width="half", height=4, series=RELEASED)
    ax = axes[""]
    for line in ax.lines:
        line.set_markevery(1 if len(own) < 80 else 0.12)
    ax.set_title(f"released constants ({privacy_label(RELEASED)})")
    if references is not None:
        _draw_references(ax, references, plot.x)
    return canvas, ax


def preset_panels(data: pd.DataFrame, plot: Plot, references: pd.DataFrame | None = None, **more):
    """A panel per epsilon, a curve per preset, and those without epsilon: (figure, axes)."""
    order = [*SERIES, *REFERENCE]
    own = data[np.isfinite(data["epsilon"]) & data["algorithm"].isin(SERIES)]
    own = own.sort_values(by="algorithm", key=lambda names: names.map(order.index), kind="stable")
    own = own.sort_values("epsilon", kind="stable")
    columns = min(3, own["epsilon"].nunique())
    options = {"height": 3.1, "names": SERIES, "columns": columns} | more
    canvas, axes = curves(own, plot, **options)
    for ax in axes.values() if references is not None else ():
        _draw_references(ax, references, plot.x)
    return canvas, axes


def _draw_references(ax, references: pd.DataFrame, x: str) -> None:
    for name, style in REFERENCE.items():
        rows = references[references["algorithm"] == name]
        band(ax, rows, x, REFERENCE_NAMES[name], style, series=name)


def overlay(ax, points: pd.DataFrame, x: str, label: str, color: str = "") -> None:
    """Published means with 95% bars, as open rings."""
    for epsilon, own in points.groupby("epsilon"):
        ring = {"mfc": "none", "ms": 6, "zorder": 6, "ls": "", "marker": "o", "elinewidth": 1}
        color_of_ring = color or epsilon_look(epsilon)["color"]
        error = NORMAL_95 * own["sem"]
        ax.errorbar(own[x], own["mean"], yerr=error, color=color_of_ring, **ring)[0].set_gid(
            RELEASED
        )
    ring = {"ms": 6, "color": color or "#666666", "mfc": "none"}
    ax.plot([], [], "o", label=label, **ring)


def ceiling(ax, idle: pd.DataFrame, t: float) -> None:
    """The regret of a random arm at round t, which depends neither on d nor on s."""
    idle = idle[(idle["algorithm"] == "random-arm") & (idle["metric"] == "regret")].iloc[-1]
    level = idle["mean"] / idle["t"] * t
    ax.axhline(level, label="random-arm, for any d", **REFERENCE["random-arm"])
