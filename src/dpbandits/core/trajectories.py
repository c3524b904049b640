"""The results of a simulation: regret at checkpoints per seed, and named extras."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpbandits.core.errors import InputError, extras

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_CHECKPOINTS = 50


def log_spaced(horizon: int, count: int = DEFAULT_CHECKPOINTS) -> np.ndarray:
    """At most `count` distinct rounds, evenly spaced in the logarithm, from 1 to the horizon.

    NumPy's powers are avoided, as this also runs in Snakemake's process, where NumPy is loaded
    before `reproduction.processor` can fix its arithmetic.
    """
    steps = max(count - 1, 1)
    return np.unique([round(float(horizon) ** (i / steps)) for i in range(count)]).astype(np.int64)


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
        """Raise ValueError unless all results are numbers of the right shape."""
        for name, group in (("curves", self.curves), ("extras", self.extras)):
            if not isinstance(group, dict):
                raise ValueError(f"{name} is a {type(group).__name__}, not name -> array")
        for name, values in {"regret": self.regret, **self.curves, **self.extras}.items():
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
        """A table in long form: seed, metric, t and value, one row per seed, metric and round.

        seeds, checkpoints: those that the results were computed for. metrics: which ones (default:
        all); the columns of an extra are the metrics `name[i]`.
        """
        with extras():
            import pandas as pd

        runs, count = self.regret.shape
        if (len(seeds), len(checkpoints)) != (runs, count):
            raise InputError(
                f"frame: {len(seeds)} seeds and {len(checkpoints)} checkpoints; allowed: the "
                f"{runs} seeds and {count} checkpoints of the results"
            )
        by_metric = {"regret": self.regret, **self.curves}
        for name, values in self.extras.items():
            if values.ndim == 1:
                by_metric[name] = values[:, None]
            else:
                by_metric |= {f"{name}[{i}]": column[:, None] for i, column in enumerate(values.T)}
        parts = [
            _long(name, values, seeds, checkpoints)
            for name, values in by_metric.items()
            if not metrics or name.partition("[")[0] in metrics
        ]
        if not parts:  # columns also without any metric
            return _long("", self.regret[:0], (), checkpoints)
        return pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]


def _long(metric: str, values: np.ndarray, seeds, checkpoints) -> "pd.DataFrame":
    """Values of one metric in long form, at all checkpoints or only at the last one."""
    import pandas as pd

    runs, count = values.shape
    columns = {
        "seed": np.repeat(np.asarray(seeds, dtype=np.int64), count),
        "metric": metric,
        "t": np.tile(np.asarray(checkpoints[-count:], dtype=np.int64), runs),
        "value": values.reshape(-1).astype(float),
    }
    return pd.DataFrame(columns)
