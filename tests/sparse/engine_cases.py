"""FL's algorithms that have a fast engine: on what the contract test compares it with the plain."""

from math import inf

FLIPHAT = {"d": 12, "sparsity": 6, "step_size": 0.05, "rho": 0.4, "steps_factor": 0.5}
RELEASED = FLIPHAT | {"preset": "released"}
PRESET_CASES = [
    (10.0, {}),
    (1.0, {"peeling_noise": "fresh", "d": 40}),
    (inf, {"arms": 2, "rho": -0.6}),
    (10.0, {"preset": "printed", "reward_noise": "uniform"}),
    (10.0, {"preset": "corrected"}),
    (inf, {"preset": "corrected", "d": 6, "rho": 0.8}),
    (10.0, {"preset": "zcdp", "clip": 2.0}),
    (10.0, {"margin": "1", "preset": "corrected"}),
    (10.0, {"margin": "inf", "peeling_noise": "fresh"}),
    (10.0, {"margin": "0"}),
]
DP_SIGNS = {"d": 12, "sparsity": 6, "rho": 0.4}
DP_LINEAR = {"d": 3, "sparsity": 3, "true_sparsity": 3, "clip": 3.0}
SA_LASSO = [{"d": 12, "rho": 0.4}, {"d": 12, "rho": -0.6, "margin": "1", "arms": 5}]
ENGINES = {
    "fliphat-presets": [
        (RELEASED | s, epsilon, 200, 150, "distribution") for epsilon, s in PRESET_CASES
    ],
    "dp-signs": [
        (DP_SIGNS | s, 5.0, 300, 150, "distribution")
        for s in ({}, {"margin": "1", "rho": -0.5, "arms": 6})
    ],
    "dp-linear": [
        (DP_LINEAR | s, 8.0, 200, 100, "distribution") for s in ({}, {"arms": 2, "margin": "1"})
    ],
    "leaky-linear": [
        ({"d": 2} | s, 8.0, 200, 60, "distribution") for s in ({}, {"arms": 3, "law": "skewed"})
    ],
    "dense-na-imed": [({"d": 2}, 2.0, 300, 60, "distribution")],
    "dense-na-imed-cells": [({"d": 3}, 2.0, 300, 60, "distribution")],
    "sa-lasso": [(s | {"refit_every": 40}, inf, 300, 100, "distribution") for s in SA_LASSO],
}
