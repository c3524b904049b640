"""FL's figure of the range of Lemma A.2."""

import numpy as np

from dpbandits.reproduction.plots.curves import ticks_at, write_beside
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import GREEN, RED, panels

LOOKS = {"proved": ("o", GREEN), "open": ("_", "grey"), "violated": ("X", RED)}


@figure(
    "fl/lemma_a2",
    claims=("FL-LA.2 (printed)",),
    title="Lemma A.2, Peeling with its printed noise",
    alt="A grid over sparsity s and ε: each cell says whether the lemma is proved, violated "
    "or open there.",
)
def lemma_a2(tables) -> Drawing:
    """Peeling with its printed noise, audited from both sides."""
    data = tables("lemma_a2")
    deltas = sorted(data["delta"].unique())
    canvas, axes = panels(1, len(deltas), height=3.6, x="ε", y="s")
    for ax, delta in zip(axes[0], deltas, strict=True):
        part = data[data["delta"] == delta]
        sizes = sorted(part["s"].unique())
        for verdict, (marker, colour) in LOOKS.items():
            cells = part[part["verdict"] == verdict]
            rows = [sizes.index(s) for s in cells["s"]]
            ax.plot(cells["epsilon"], rows, marker, color=colour, ms=8, label=verdict)
        for s, epsilon, least in cells[["s", "epsilon", "delta_at_least"]].to_numpy():
            write_beside(ax, f"{least:.2g}", epsilon, sizes.index(s), color=colour)  # violated ones
        edge = sum(s <= 4 / 3 * np.log(1 / delta) for s in sizes) - 0.5
        ax.axhline(edge, color="black", lw=1, ls="--", label="s = (4/3) ln(1/δ)")
        ax.set_yticks(range(len(sizes)), sizes)
        ax.set(xscale="log", title=f"δ = {delta:g}, d = {part['d'].iloc[0]}")
        ticks_at(ax, part["epsilon"].unique())
    return Drawing(
        canvas,
        data,
        "each cell is certified; red: the true δ is at least this, rounded; open: the two bounds "
        "do not meet",
    )
