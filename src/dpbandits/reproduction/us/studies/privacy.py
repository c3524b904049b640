"""The exact privacy loss of USCA's output over all data sets."""

from dataclasses import replace
from typing import Annotated

import pandas as pd
from pydantic import Field

from dpbandits.kernel import privacy as exact
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us.studies.grids import Grid, generators


class PrivacyGrid(Grid):
    epsilon: tuple[Annotated[float, Field(gt=0)], ...] = (1.0,)


@study("us/privacy", params=PrivacyGrid)
def privacy(params: PrivacyGrid) -> pd.DataFrame:
    """Exact worst loss and sensitivity over all data sets, given Z, as fractions of the claimed
    values; at the least noise also the loss of one data set of `horizon` records."""
    rows = []
    for name, setting in params.settings.items():
        for horizon in params.horizons:
            for run, rng in enumerate(generators("privacy", setting, horizon, params.runs)):
                instance = exact.draw_instance(setting, 1.0, horizon, rng)
                loss = exact.loss_over_all_data(instance)  # proportional to eps, as h is
                ratio = exact.sensitivity_over_all_data(instance) / instance.sensitivity
                least = replace(instance, calibration="exact")
                rows += [
                    {"setting": name, "tau": setting.tau, "t": horizon, "epsilon": epsilon}
                    | {"run": run}
                    | {"loss_over_epsilon": loss, "sensitivity_over_bound": ratio}
                    | {"loss_at_least_noise": exact.loss_over_all_data(least)}
                    | {"attained": exact.attained_loss(replace(least, epsilon=epsilon), horizon)}
                    for epsilon in params.epsilon
                ]
    return pd.DataFrame(rows)
