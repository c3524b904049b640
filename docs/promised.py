"""Writes docs/promised.png, the picture of README: real over promised privacy, a row per method.

From audits made here and from the committed tables in figures/.
"""

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: the arithmetic of jobs

from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("agg")
import matplotlib.pyplot as plt

import dpbandits as dp

ROOT = Path(__file__).parents[1]
NOISY_MAX = {"arms": 2, "rounds": 4096, "adjacency": "replace"}
SOUND, BROKEN = "#3a6ea5", "#c0392b"


def rows() -> list[tuple[str, str, float, str]]:
    """(paper, method, real over promised epsilon, how it is known)."""
    us = pd.read_csv(ROOT / "figures/us/privacy.csv")
    kl = pd.read_csv(ROOT / "figures/kl/tightness.csv").groupby("claim")["worst"].max()
    noisy = {
        noise: dp.audit("rnm", scale=scale, noise=noise, **NOISY_MAX).pure_epsilon
        for noise, scale in (("laplace", 1), ("exponential", 2))
    }
    return [
        ("bandits", "Lazy-DP-TS", 1.0, "Theorem 4, exact for short runs"),
        ("bandits", "RNM-FTNL as printed", noisy["laplace"], "exact"),
        ("bandits", "RNM-FTNL, variant phase", noisy["exponential"], "exact"),
        ("sparse", "FLIPHAT as printed", float("inf"), "contexts unbounded"),
        ("sparse", "FLIPHAT, preset zcdp", 1.0, "at most: Theorem B1"),
        ("kernel", "USCA as printed", us["worst"].max(), "exact, largest seen"),
        ("kernel", "USCA, calibration exact", 1.0, "exact"),
        ("KL", "Theorem 1 (bandits)", kl["KL-T1-pure"], "largest found"),
        ("KL", "Theorem 3 (preferences)", kl["KL-T3-pure"], "features differ by up to 2"),
    ]


def draw(path: Path) -> None:
    data = rows()
    figure, ax = plt.subplots(figsize=(9.2, 4.1), layout="constrained")
    for y, (_, _, ratio, how) in enumerate(data):
        color, end = (BROKEN if ratio > 1 + 1e-6 else SOUND), min(ratio, 4.6)
        ax.barh(y, end, color=color, height=0.62)
        text = "no finite ε" if ratio == float("inf") else f"{ratio:.2f}"
        ax.text(end + 0.05, y, f"{text}  ({how})", va="center", fontsize=10)
    ax.axvline(1, color="black", lw=1)
    ax.set_yticks(range(len(data)), [f"{paper}: {name}" for paper, name, *_ in data])
    ax.tick_params(axis="y", labelsize=10.5)
    ax.invert_yaxis()
    ax.set(xlim=(0, 7.3), xlabel="real privacy loss divided by the promised ε (line: as promised)")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    draw(Path(__file__).with_name("promised.png"))
