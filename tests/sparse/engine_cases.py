"""FL's algorithms that have a fast engine: on what the contract test compares it with the plain."""

from math import inf

FLIPHAT = {"d": 12, "sparsity": 6, "step_size": 0.05, "rho": 0.4}
DP_SIGNS = {"d": 12, "sparsity": 6, "rho": 0.4}
SA_LASSO = [{"d": 12, "rho": 0.4}, {"d": 12, "rho": -0.6, "margin": "1", "arms": 5}]
ENGINES = {
    "fliphat": (FLIPHAT, 10.0, 200, 100, "distribution"),
    "dp-signs": (DP_SIGNS, 5.0, 300, 100, "distribution"),
    "sa-lasso": [(s | {"refit_every": 40}, inf, 300, 100, "distribution") for s in SA_LASSO],
}
