"""The exact privacy loss of USCA's output, given Z and the queries.

With M of estimator.py, replacing the record (a, c, y) by (a, c', y') moves mubar by
M[:, (a, c')] y' - M[:, (a, c)] y. The output has a finite distribution per context, so the loss of
a pair of data sets is exact up to rounding.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpbandits.kernel.estimator import SurrogateCovariance
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import draw_Z, exact_scale, printed_scale


@dataclass
class OutputLaw:
    """One Z of a setting, as the operator M, and the epsilon and calibration of the noise."""

    setting: KernelSetting
    operator: np.ndarray  # (cells, cells)
    epsilon: float
    calibration: str = "printed"

    @property
    def sensitivity(self) -> float:
        """m of Def. 3.2."""
        if self.calibration == "exact":
            return exact_scale(self.setting, self.ranges.max())
        return printed_scale(self.setting, np.diag(self.operator).max())

    @cached_property
    def ranges(self) -> np.ndarray:
        """(contexts, cells): the range over actions of the scores of one reward 1 at a cell."""
        by_action = self.operator.reshape(self.setting.actions, self.setting.contexts, -1)
        return np.ptp(by_action, axis=0)


def draw_law(
    setting: KernelSetting, epsilon: float, horizon: int, rng, calibration: str = "printed"
) -> OutputLaw:
    Z, K = draw_Z(problem_of(setting), rng, horizon)
    operator = SurrogateCovariance(setting, Z / K).matrix()
    return OutputLaw(setting, operator, epsilon, calibration)


def worst_over_all_data(law: OutputLaw) -> tuple[float, dict]:
    """Supremum over all data sets of any length and all neighbours, and a worst neighbour.

    The loss at x is h(x) - ln E exp(h), h = eps (change of mubar)/(2m), E over the output before
    the change: it is at most the range of h over the actions of a context, whatever the other
    records, and comes close if these concentrate the output on the argmin of h. The range is
    subadditive, so the worst change turns a reward B into -B at one cell.
    """
    setting = law.setting
    ranges = law.ranges
    seen, cell = np.unravel_index(ranges.argmax(), ranges.shape)
    query, context = divmod(int(cell), setting.contexts)
    loss = law.epsilon * setting.bound * ranges[seen, cell] / law.sensitivity
    where = {"query": query, "context": context, "new_context": context}
    where |= {"reward": setting.bound, "new_reward": -setting.bound, "final_context": int(seen)}
    return float(loss), where
