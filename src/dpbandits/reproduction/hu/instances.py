"""Random instances of K arms: those of hu/rivals_tuning, and others, those of hu/which."""

from typing import Any

import numpy as np

from dpbandits.core.models import Model, Several
from dpbandits.stochastic.problem import Mean


class Family(Model):
    """Means of arms are uniform in a range; one random arm may be ahead of them."""

    arms: Several
    means: tuple[Mean, Mean] = (0, 1)
    best: Mean | None = None

    def drawn(self, count: int, *key: int) -> list[dict[str, Any]]:
        """The settings of the first instances of a key; without one as `choose` draws them."""
        rng, (low, high) = np.random.default_rng(key or [self.arms, 0]), self.means
        means = low + (high - low) * rng.random((count, self.arms))
        if self.best is not None:
            means[np.arange(count), rng.integers(self.arms, size=count)] = self.best
        return [{"means": row} for row in means.tolist()]
