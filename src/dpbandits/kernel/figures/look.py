"""How US's figures name and paint kernels and epsilons."""

import numpy as np
import pandas as pd

from dpbandits.plots.style import DASHES, MARKERS, OKABE_ITO

COLOUR = {name: OKABE_ITO[i] for i, name in enumerate(("se", "matern52", "matern32", "cosine"))}
KERNEL = {"se": "SE", "matern52": "Matérn 5/2", "matern32": "Matérn 3/2", "cosine": "cosine Mercer"}
EPSILONS = {0.1: 4, 0.5: 1, 1.0: 2, 5.0: 3, np.inf: 0, 20.0: 5, 100.0: 7}


def style(slot: int) -> dict:
    return {
        "color": OKABE_ITO[slot],
        "linestyle": DASHES[slot % len(DASHES)],
        "marker": "os^DvP"[slot],
    }


def kernel_name(setting: str) -> str:
    kernel, *more = setting.split("-")
    dimension = ", d = 2" if "2d" in more else ", d = 1"
    return KERNEL[kernel] + dimension + (", Beta contexts" if "beta" in more else "")


def epsilon_style(epsilon: float) -> dict:
    """A colour and marker per epsilon, the same in every figure; full: what it says is proved."""
    slot = EPSILONS[epsilon]
    return {"color": OKABE_ITO[slot], "linestyle": "-", "marker": MARKERS[slot]}


def epsilon_name(epsilon: float) -> str:
    return "ε = ∞" if np.isinf(epsilon) else f"ε = {epsilon:g}"


def where(data: pd.DataFrame, **values) -> pd.DataFrame:
    """Rows with these values, in the order of t."""
    for column, value in values.items():
        data = data[data[column] == value]
    return data.sort_values("t") if "t" in data else data
