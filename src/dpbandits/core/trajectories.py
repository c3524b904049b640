"""What a simulation returns: regret at checkpoints per seed, and named extras."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # to simulate needs no pandas
    import pandas as pd

DEFAULT_CHECKPOINTS = 50


def log_spaced(horizon: int, count: int = DEFAULT_CHECKPOINTS) -> np.ndarray:
    """At most `count` distinct rounds, evenly spaced in the logarithm, from 1 to the horizon.

    Without NumPy's powers: Snakemake's own process asks too, whose NumPy is not pinned
    (see `core.processor`).
    """
    steps = max(count - 1, 1)
    return np.unique([round(float(horizon) ** (i / steps)) for i in range(count)]).astype(np.int64)


@dataclass
class Trajectories:
    """Results of n seeds at c checkpoints.

    regret: (n, c), the regret after t rounds for each checkpoint t.
    curves: name -> (n, c), other quantities at the checkpoints.
    extras: name -> (n,) or (n, k), quantities at the horizon, such as pulls per arm.
    """

    regret: np.ndarray
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    extras: dict[str, np.ndarray] = field(default_factory=dict)

    def check(self, runs: int, checkpoints: int) -> None:
        """Refuse results of the wrong shape or with holes: better here than in a figure."""
        for name, values in {"regret": self.regret, **self.curves}.items():
            if values.shape != (runs, checkpoints):
                raise ValueError(f"{name} has shape {values.shape}, not {(runs, checkpoints)}")
        for name, values in self.extras.items():
            if len(values) != runs or values.ndim not in (1, 2):
                raise ValueError(f"extra {name} has shape {values.shape}, not ({runs},) or (.., k)")
        if not np.isfinite(self.regret).all():
            raise ValueError("regret is not finite everywhere")

    def columns(
        self, seeds: Sequence[int], checkpoints: Sequence[int], metrics: Sequence[str] = ()
    ) -> dict[str, np.ndarray]:
        """Long form: seed, metric, t, value; an extra's columns are metrics `name[i]`.

        All metrics, or some: of an extra all columns."""
        found = {"regret": self.regret, **self.curves}
        for name, values in self.extras.items():
            single = values.ndim == 1
            found |= {name: values[:, None]} if single else _columns_of(name, values)
        names = [name for name in found if not metrics or name.partition("[")[0] in metrics]
        none = _long("", self.regret[:0], (), checkpoints)
        return joined([none, *(_long(name, found[name], seeds, checkpoints) for name in names)])

    def frame(self, seeds: Sequence[int], checkpoints: Sequence[int]) -> "pd.DataFrame":
        import pandas as pd

        return pd.DataFrame(self.columns(seeds, checkpoints))


def _columns_of(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{name}[{i}]": values[:, [i]] for i in range(values.shape[1])}


def _long(metric: str, values: np.ndarray, seeds, checkpoints) -> dict[str, np.ndarray]:
    """Of values per seed at all checkpoints, or at the last one."""
    runs, count = values.shape
    return {
        "seed": np.repeat(np.asarray(seeds, dtype=np.int64), count),
        "metric": np.full(values.size, metric),
        "t": np.tile(np.asarray(checkpoints[-count:], dtype=np.int64), runs),
        "value": values.reshape(-1).astype(float),
    }


def joined(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Tables of the same columns, one below the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
