"""What US's studies share: their parameters, cells and summaries of runs."""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.streams import streams_for
from dpbandits.kernel.information import K_of, information_gain
from dpbandits.kernel.problem import KernelSetting
from dpbandits.reproduction.series import Share
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.reproduction.us import theory


class Grid(Model):
    """Settings by name, each at every horizon, with `runs` draws of Z and of the data."""

    settings: dict[str, KernelSetting]
    horizons: tuple[Annotated[int, Field(ge=1)], ...]
    runs: Annotated[int, Field(ge=2)] = 8

    def cells(self, study: str):
        """(the name of a setting, the setting, a horizon, a generator for each run) in turn."""
        for name, setting in self.settings.items():
            information_gain(setting, max(self.horizons))  # of all horizons at once
            for horizon in self.horizons:
                streams = streams_for(f"us/{study}", setting, np.inf, horizon, range(self.runs))
                yield name, setting, horizon, [streams.generator(i) for i in range(self.runs)]


class WithDelta(Grid):
    delta: Share = 0.1

    def known(self, setting: KernelSetting, horizon: int):
        """What the corrected bounds depend on: (effective quantities, K, delta)."""
        return theory.effective_of(setting, horizon), K_of(setting, horizon), self.delta


def summary(values, bound: float) -> dict[str, float]:
    """Mean with 95% band and maximum of independent runs, a bound, and how many exceed it."""
    values = np.asarray(values, float)
    band = mean_with_band(values)
    band = {key: band[key] for key in ("mean", "low", "high")} | {"largest": values.max()}
    return band | {"bound": bound, "exceed": int(np.sum(values > bound))}
