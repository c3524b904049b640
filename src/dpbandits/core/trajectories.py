"""What a simulation returns: regret at checkpoints per seed, and named extras."""

from dataclasses import dataclass, field

import numpy as np
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

    def frame(self, seeds: tuple[int, ...], checkpoints: np.ndarray) -> pd.DataFrame:
        """Long form: seed, metric, t, value; an extra's columns are metrics `name[i]`."""
        horizon = checkpoints[-1:]
        parts = [_long("regret", self.regret, seeds, checkpoints)]
        parts += [_long(name, x, seeds, checkpoints) for name, x in self.curves.items()]
        for name, values in self.extras.items():
            if values.ndim == 1:
                parts.append(_long(name, values[:, None], seeds, horizon))
            else:
                columns = range(values.shape[1])
                parts += [_long(f"{name}[{i}]", values[:, [i]], seeds, horizon) for i in columns]
        return pd.concat(parts, ignore_index=True)


def _long(metric: str, values: np.ndarray, seeds: tuple[int, ...], times) -> pd.DataFrame:
    runs, count = values.shape
    return pd.DataFrame(
        {
            "seed": np.repeat(np.asarray(seeds, dtype=np.int64), count),
            "metric": metric,
            "t": np.tile(np.asarray(times, dtype=np.int64), runs),
            "value": values.reshape(-1).astype(float),
        }
    )
