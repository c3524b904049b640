"""Study: the squared error of N-IHT on Gaussian rows against n, s, d and epsilon (Prop 5.5).

One factor moves at a time. The term `statistical` has epsilon = inf; `private` is the whole error
at the epsilon of the study, where the noise dominates. Constants: eta = 1/(2 kappa_bar),
M = floor(1.6 ln n) and the printed noise scale. Two bounds stand beside the error: `printed`, the
proposition's term of that error with its hidden constants 1, and `repaired`, Theorem F1, which asks
for more steps and a larger s than these runs have.
"""

import math

import pandas as pd

from dpbandits.core.models import Count, Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.reproduction.fl.theory import corrected_estimation_bound, estimation_terms
from dpbandits.reproduction.series import Positive

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
HIGH, LOW = 3.0, 2 * 0.9 / 1.1  # of the Hessian 2 X'X/n: bounds of Sigma's spectrum at rho = 0.1


@design("fl/estimation")
class Estimation(Design):
    n: Count
    d: Count
    sparsity: Count
    true_sparsity: Count
    epsilon: Positive
    runs: Several

    def points(self) -> list[Point]:
        return [
            self._point(term, name, factor)
            for term, moved in (("statistical", 3), ("private", 4))
            for name in ("n", "sparsity", "d", "epsilon")[:moved]
            for factor in FACTORS[name == "sparsity" :]
        ]

    def _point(self, term: str, name: str, factor: float) -> Point:
        value = getattr(self, name) * factor
        value = value if name == "epsilon" else int(value)
        own, private = self.model_copy(update={name: value}), term == "private"
        sizes = {"d": own.d, "sparsity": own.sparsity, "true_sparsity": own.true_sparsity}
        epsilon = own.epsilon if private else math.inf
        setting = sizes | {"preset": "printed", "step_size": 1 / (2 * HIGH)}
        return Point(
            {"term": term, "varied": name, "value": value}, setting | {"noise_epsilon": epsilon},
            math.inf, own.n, seeds=self.runs, common=("fl/estimation", str(own), private),
        )  # fmt: skip

    def table(self, results: Results) -> pd.DataFrame:
        """Mean, standard error and number of |theta - beta*|^2 over the runs, and two bounds."""
        return pd.DataFrame([
            point.labels | {
                "mean": errors.mean(), "sem": errors.std(ddof=1) / math.sqrt(len(errors)),
                "runs": len(errors),
            } | _bounds(point)
            for point, _, errors in results
        ])  # fmt: skip


def _bounds(point: Point) -> dict[str, float]:
    epsilon = point.setting["noise_epsilon"]
    keys = {key: value for key, value in point.setting.items() if key != "noise_epsilon"}
    setting, n = PresetSetting(**keys), point.horizon
    statistical, noise = estimation_terms(
        n, setting.sparsity, setting.true_sparsity, setting.d, epsilon, setting.delta,
        sigma=setting.sigma, kappa=HIGH / LOW, low=LOW,
    )  # fmt: skip
    printed = noise if math.isfinite(epsilon) else statistical
    repaired = corrected_estimation_bound(setting, n, epsilon, LOW, HIGH / LOW)
    return {"printed": printed, "repaired": repaired}
