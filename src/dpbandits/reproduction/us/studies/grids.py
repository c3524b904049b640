"""What US's studies share: their parameters, generators and summaries of runs."""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.streams import streams_for
from dpbandits.kernel.problem import KernelSetting
from dpbandits.reproduction.series import Share
from dpbandits.reproduction.statistics import mean_with_band


class Grid(Model):
    """Settings by name, each at every horizon, with `runs` draws of Z and of the data."""

    settings: dict[str, KernelSetting]
    horizons: tuple[Annotated[int, Field(ge=1)], ...]
    runs: Annotated[int, Field(ge=2)] = 8


class WithDelta(Grid):
    delta: Share = 0.1


def generators(name: str, setting: KernelSetting, horizon: int, runs: int):
    streams = streams_for(f"us/{name}", setting, np.inf, horizon, range(runs))
    return [streams.generator(i) for i in range(runs)]


def summary(values, bound: float) -> dict[str, float]:
    """Mean with 95% band and maximum of independent runs, a bound, and how many exceed it."""
    values = np.asarray(values, float)
    band = mean_with_band(values)
    band = {key: band[key] for key in ("mean", "low", "high")} | {"largest": values.max()}
    return band | {"bound": bound, "exceed": int(np.sum(values > bound))}
