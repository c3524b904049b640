"""What US's studies share: settings by name at several horizons, runs and their summary."""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.statistics import mean_with_band
from dpbandits.core.streams import streams_for
from dpbandits.kernel.problem import KernelSetting

Settings = dict[str, KernelSetting]
Horizons = tuple[Annotated[int, Field(ge=1)], ...]
Runs = Annotated[int, Field(ge=2)]
Chance = Annotated[float, Field(gt=0, lt=1)]


class Grid(Model):
    """Settings by name, each at every horizon, `runs` runs of Z and of the data."""

    settings: Settings
    horizons: Horizons
    runs: Runs = 8


class WithDelta(Grid):
    delta: Chance = 0.1


def generators(name: str, setting: KernelSetting, horizon: int, runs: int):
    streams = streams_for(f"us/{name}", setting, np.inf, horizon, range(runs))
    return [streams.generator(i) for i in range(runs)]


def summary(values, bound: float) -> dict[str, float]:
    """Mean and 95% band of independent runs; how many of them are above a bound."""
    values = np.asarray(values, float)
    found = mean_with_band(values)
    found = {key: found[key] for key in ("mean", "low", "high")} | {"largest": values.max()}
    return found | {"bound": bound, "exceed": int(np.sum(values > bound))}
