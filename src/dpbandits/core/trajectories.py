"""What a simulation returns: regret at checkpoints per seed, and named extras."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpbandits.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_CHECKPOINTS = 50
BYTES_PER_ROW = 200


def log_spaced(horizon: int, count: int = DEFAULT_CHECKPOINTS) -> np.ndarray:
    """At most `count` distinct rounds, evenly spaced in the logarithm, from 1 to the horizon.

    Without NumPy's powers: Snakemake's own process asks too, whose NumPy is not pinned
    (see `core.processor`).
    """
    steps = max(count - 1, 1)
    return np.unique([round(float(horizon) ** (i / steps)) for i in range(count)]).astype(np.int64)


def check_memory(runs: int, checkpoints: int) -> None:
    """Refuse what cannot fit: a table of results takes some 200 bytes per run and checkpoint."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if runs * checkpoints * BYTES_PER_ROW > memory:
        need, most = runs * checkpoints * BYTES_PER_ROW, memory // (checkpoints * BYTES_PER_ROW)
        raise InputError(
            f"seeds: {runs} runs with {checkpoints} checkpoints need some {need / 1e9:.3g} GB, "
            f"this machine has {memory / 1e9:.3g}; allowed: up to {most} seeds at a time"
        )


@dataclass
class Trajectories:
    """Results of n seeds at c checkpoints.

    regret: (n, c), floats in units of reward: the regret after t rounds for each checkpoint t.
    curves: name -> (n, c), other quantities at the checkpoints.
    extras: name -> (n,) or (n, k), quantities at the horizon, such as pulls per arm.
    """

    regret: np.ndarray
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    extras: dict[str, np.ndarray] = field(default_factory=dict)

    def check(self, runs: int, checkpoints: int) -> None:
        """Refuse results of the wrong shape or with holes: better here than in a figure."""
        for name, values in (("curves", self.curves), ("extras", self.extras)):
            if not isinstance(values, dict):
                raise ValueError(f"{name} is a {type(values).__name__}, not name -> array")
        everything = {"regret": self.regret, **self.curves, **self.extras}
        for name, values in everything.items():
            if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
                raise ValueError(f"{name} is a {type(values).__name__}, not an array of numbers")
        for name, values in {"regret": self.regret, **self.curves}.items():
            if values.shape != (runs, checkpoints):
                raise ValueError(f"{name} has shape {values.shape}, not {(runs, checkpoints)}")
        for name, values in self.extras.items():
            if values.ndim not in (1, 2) or len(values) != runs:
                raise ValueError(f"extra {name} has shape {values.shape}, not ({runs},) or (.., k)")
        if not np.isfinite(self.regret).all():
            raise ValueError("regret is not finite everywhere")

    def frame(
        self, seeds: Sequence[int], checkpoints: Sequence[int], metrics: Sequence[str] = ()
    ) -> "pd.DataFrame":
        """Long form: the columns seed, metric, t and value, one row per seed, metric and round.

        seeds: the n seeds, and checkpoints: the c rounds, that the results were computed for.
        metrics: those wanted (default: all); the columns of an extra are the metrics `name[i]`.
        """
        import pandas as pd

        found = {"regret": self.regret, **self.curves}
        for name, values in self.extras.items():
            single = values.ndim == 1
            found |= {name: values[:, None]} if single else _columns_of(name, values)
        names = [name for name in found if not metrics or name.partition("[")[0] in metrics]
        none = _long("", self.regret[:0], (), checkpoints)
        parts = [none, *(_long(name, found[name], seeds, checkpoints) for name in names)]
        return pd.concat(parts, ignore_index=True)


def _columns_of(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{name}[{i}]": values[:, [i]] for i in range(values.shape[1])}


def _long(metric: str, values: np.ndarray, seeds, checkpoints) -> "pd.DataFrame":
    """Of values per seed at all checkpoints, or at the last one."""
    import pandas as pd

    runs, count = values.shape
    columns = {
        "seed": np.repeat(np.asarray(seeds, dtype=np.int64), count),
        "metric": metric,
        "t": np.tile(np.asarray(checkpoints[-count:], dtype=np.int64), runs),
        "value": values.reshape(-1).astype(float),
    }
    return pd.DataFrame(columns)
