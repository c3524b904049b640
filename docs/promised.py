"""Writes docs/promised.png, the picture of README: real over promised privacy, a row per method.

From audits made here and from the committed tables in figures/.
"""

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: the arithmetic of jobs

from pathlib import Path

import matplotlib
import pandas as pd

from dpbandits.reproduction.fl.claims.privacy import DELTA, PROMISED, one_step

matplotlib.use("agg")
import matplotlib.pyplot as plt

import dpbandits as dp

ROOT = Path(__file__).parents[1]
NOISY_MAX = {"arms": 2, "rounds": 4096, "adjacency": "replace"}
SOUND, BROKEN = "#3a6ea5", "#c0392b"
END = 7.3  # of the axis


def rows() -> list[tuple[str, str, float, str]]:
    """(paper, method, real over promised epsilon, how it is known)."""
    us = pd.read_csv(ROOT / "figures/us/privacy.csv")
    kl = pd.read_csv(ROOT / "figures/kl/tightness.csv").groupby("claim")["worst"].max()
    noisy = {
        noise: dp.audit("rnm", scale=scale, noise=noise, **NOISY_MAX).pure_epsilon
        for noise, scale in (("laplace", 1), ("exponential", 2))
    }
    steps = [one_step(epsilon).epsilon(DELTA) / epsilon for epsilon in PROMISED]  # claim FL-T5.1
    one = f"at least {min(steps):.2f}; at 13 steps nothing is refuted"
    return [
        ("bandits", "Lazy-DP-TS", 1.0, "Theorem 4, exact for short runs"),
        ("experts", "RNM-FTNL as printed", noisy["laplace"], "exact"),
        ("experts", "RNM-FTNL, variant phase", noisy["exponential"], "exact"),
        ("sparse", "FLIPHAT, 1 step, contexts to 3.46", max(steps), one),
        ("sparse", "FLIPHAT as run in Section 6", float("inf"), "contexts without bound"),
        ("sparse", "FLIPHAT, preset zcdp", 1.0, "at most: Theorem B1"),
        ("kernel", "USCA as printed", us["worst"].max(), "exact, largest seen"),
        ("kernel", "USCA, calibration exact", 1.0, "exact"),
        ("KL", "Theorem 1 (bandits)", kl["KL-T1-pure"], "largest found"),
        ("KL", "Theorem 3 (preferences)", kl["KL-T3-pure"], "features differ by up to 2"),
    ]


def draw(path: Path) -> None:
    data = rows()
    figure, ax = plt.subplots(figsize=(9.2, 4.4), layout="constrained")
    for y, (_, _, ratio, how) in enumerate(data):
        color, finite = (BROKEN if ratio > 1 + 1e-6 else SOUND), ratio < float("inf")
        ax.barh(y, min(ratio, END), color=color, height=0.62)  # an infinite one leaves the picture
        look = {"color": "black"} if finite else {"color": "white", "ha": "right"}
        text = f"{ratio:.2f}  ({how})" if finite else f"no finite ε  ({how})  →"
        ax.text(ratio + 0.05 if finite else END - 0.05, y, text, va="center", fontsize=10, **look)
    ax.axvline(1, color="black", lw=1)
    ax.set_yticks(range(len(data)), [f"{paper}: {name}" for paper, name, *_ in data])
    ax.tick_params(axis="y", labelsize=10.5)
    ax.invert_yaxis()
    ax.set(xlim=(0, END), xlabel="real privacy loss divided by the promised ε (line: as promised)")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    draw(Path(__file__).with_name("promised.png"))
