"""TS's problem: K Bernoulli arms, played by Thompson sampling with Gaussian posteriors."""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model

Mean = Annotated[float, Field(ge=0, le=1)]


class GaussianThompsonSetting(Model):
    """The arms, and the parameters that make a run private."""

    means: Annotated[tuple[Mean, ...], Field(min_length=2)]
    pre_pulls: Annotated[int, Field(ge=0)] = 0  # b, of every arm
    variance: Annotated[float, Field(gt=0)] = 1.0  # c, unless epsilon needs more

    @property
    def gaps(self) -> np.ndarray:
        means = np.array(self.means)
        return means.max() - means
