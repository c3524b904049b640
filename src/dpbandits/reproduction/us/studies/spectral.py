"""Lemma 6.1's norms where the covariance operator is known exactly."""

import numpy as np
import pandas as pd

from dpbandits.kernel.kernels import cosine_rows
from dpbandits.kernel.problem import problem_of
from dpbandits.kernel.usca import draw_Z
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us import theory
from dpbandits.reproduction.us.gain_bounds import gain_bounds
from dpbandits.reproduction.us.studies.grids import WithDelta, summary


@study("us/spectral", params=WithDelta)
def spectral(params: WithDelta) -> pd.DataFrame:
    """Norms of Lemma 6.1 on kernels with exact Lambda (cosine, uniform contexts)."""
    rows = []
    for name, setting, horizon, rngs in params.cells("spectral"):
        spectrum = theory.spectrum_of(setting)
        features = cosine_rows(setting, problem_of(setting).points)
        constants = (setting.decay, spectrum.C_p(setting.decay), spectrum.F**2)
        n1bar = max(theory.n1bar_forms(*constants, -np.log(params.delta)).values())
        gain = gain_bounds(setting, horizon)[1]  # in favour of the lemma
        norms = np.array([norms_of(setting, spectrum, features, horizon, rng) for rng in rngs])
        run = (gain, horizon, setting.tau, params.delta)
        printed, condition = theory.spectral_bound(*run), theory.proof_condition(*run)
        repaired = theory.corrected_spectral_bound(*params.known(setting, horizon))
        limits = {"operator norm": printed, "spectrum": printed, "relative norm": repaired}
        rows += [
            {"setting": name, "norm": kind, "t": horizon, "gamma": gain}
            | {"tau": setting.tau, "delta": params.delta, "runs": params.runs}
            | summary(own, limit)
            | {"condition": condition, "n1bar": n1bar}
            for own, (kind, limit) in zip(norms.T, limits.items(), strict=True)
        ]
    return pd.DataFrame(rows)


def norms_of(setting, spectrum, features, horizon: int, rng) -> tuple[float, float, float]:
    """|Z~^-1 Z - Id|_2, the largest |eigenvalue - 1| of Z~^-1 Z, and |Z^-1/2 Z~ Z^-1/2 - Id|.
    In the coordinates sqrt(lambda_j) psi_j, orthonormal in the RKHS, Z is diagonal."""
    Z, K = draw_Z(problem_of(setting), rng, horizon)
    z = horizon * spectrum.values + setting.tau
    covariance = (features.T * (Z / K)) @ features + setting.tau * np.eye(len(z))
    product = np.linalg.solve(covariance, np.diag(z))
    operator = np.linalg.norm(product - np.eye(len(z)), 2)
    root = 1.0 / np.sqrt(z)
    relative = np.linalg.eigvalsh(root[:, None] * covariance * root)
    return operator, np.abs(1.0 / relative - 1.0).max(), np.abs(relative - 1.0).max()
