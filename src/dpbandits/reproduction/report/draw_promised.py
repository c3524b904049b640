"""Draw docs/promised.png, real over promised privacy: `python -m` runs this module.

From audits made when it is drawn and from the committed tables in figures/.
"""

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: the arithmetic of jobs

from pathlib import Path

import matplotlib

from dpbandits.reproduction.report.passages import ROOT
from dpbandits.reproduction.report.promised import rows

matplotlib.use("agg")
import matplotlib.pyplot as plt

SOUND, BROKEN = "#3a6ea5", "#c0392b"
END = 7.3  # of the axis


def draw(path: Path) -> None:
    data = rows()
    figure, ax = plt.subplots(figsize=(9.2, 4.4), layout="constrained")
    for y, (_, _, ratio, how) in enumerate(data):
        color, finite = (BROKEN if ratio > 1 + 1e-6 else SOUND), ratio < float("inf")
        ax.barh(y, min(ratio, END), color=color, height=0.62)  # an infinite one leaves the picture
        look = {"color": "black"} if finite else {"color": "white", "ha": "right"}
        text = f"{ratio:.2f}  ({how})" if finite else f"not private at any ε  ({how})  →"
        ax.text(ratio + 0.05 if finite else END - 0.05, y, text, va="center", fontsize=10, **look)
    ax.axvline(1, color="black", lw=1)
    ax.set_yticks(range(len(data)), [f"{paper}: {name}" for paper, name, *_ in data])
    ax.tick_params(axis="y", labelsize=10.5)
    ax.invert_yaxis()
    ax.set(xlim=(0, END), xlabel="real privacy loss divided by the promised ε (line: as promised)")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    draw(ROOT / "docs/promised.png")
