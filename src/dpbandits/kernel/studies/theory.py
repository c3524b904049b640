"""US's tables that are not simulations of an algorithm: gamma_T, estimators, spectra, densities."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import stdtrit

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.core.streams import streams_for
from dpbandits.kernel import theory
from dpbandits.kernel.engine import estimator, information
from dpbandits.kernel.engine import privacy as exact
from dpbandits.kernel.kernels import cosine_rows
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import exponential_mechanism

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
    """Mean and 95% t interval of independent runs; how many of them are above a bound."""
    values = np.asarray(values, float)
    mean, sem = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    wide = stdtrit(len(values) - 1, 0.975) * sem
    found = {"mean": mean, "low": mean - wide, "high": mean + wide, "largest": values.max()}
    return found | {"bound": bound, "exceed": int(np.sum(values > bound))}


@study("us/gamma", params=WithDelta)
def gamma(params: WithDelta) -> pd.DataFrame:
    """gamma_T between its two ends, K, and sup sigmabar^2 beside Lemma 7.1's bound."""
    lines = []
    for name, setting in params.settings.items():
        problem, bound = problem_of(setting), theory.spectrum_of(setting).bound
        information.information_gain(setting, max(params.horizons))
        for horizon in params.horizons:
            low, high = information.gain_bounds(setting, horizon)
            suprema = []
            for rng in generators("gamma", setting, horizon, params.runs):
                fresh, multiple = estimator.draw_fresh(problem, rng, horizon)
                operator = estimator.operator_of(setting, fresh / multiple)
                suprema.append(operator.largest_variance()[0])
            lines.append(
                {"setting": name, "t": horizon, "gamma": low, "gamma_high": high, "F": bound}
                | {"multiple": information.fresh_multiple(setting, horizon), "runs": params.runs}
                | {"delta": params.delta}
                | summary(suprema, theory.variance_bound(low, horizon, bound))
            )
    return pd.DataFrame(lines)


@study("us/estimation_error", params=WithDelta)
def estimation_error(params: WithDelta) -> pd.DataFrame:
    """sup over cells of |mubar - mu_T|, |mubar - f| and |mu_T - f|, beside the lemmas' bounds."""
    lines = []
    for name, setting in params.settings.items():
        bound, noise = theory.spectrum_of(setting).bound, theory.sub_gaussian(setting)
        gains = information.information_gain(setting, max(params.horizons))
        for horizon in params.horizons:
            gain = gains[horizon - 1]
            found = np.array(
                [
                    _three_errors(setting, horizon, rng)
                    for rng in generators("estimation_error", setting, horizon, params.runs)
                ]
            )
            beta_1 = theory.beta_1(params.delta, setting.bound, bound, noise, setting.tau, "proof")
            uniform = theory.uniform_error_bound(
                gain, horizon, params.delta, setting.bound, bound, noise, setting.tau, 1.0, "proof"
            )
            limits = (beta_1 * np.sqrt(gain / horizon), uniform, np.nan)
            for column, quantity in enumerate(("mubar - mu_T", "mubar - f", "mu_T - f")):
                lines.append(
                    {"setting": name, "quantity": quantity, "t": horizon, "gamma": gain}
                    | {"runs": params.runs, "delta": params.delta}
                    | summary(found[:, column], limits[column])
                )
    return pd.DataFrame(lines)


def _three_errors(setting: KernelSetting, horizon: int, rng) -> tuple[float, float, float]:
    problem = problem_of(setting)
    truth = problem.values.reshape(-1)
    cells, rewards = problem.observe(rng, horizon)
    fresh, multiple = estimator.draw_fresh(problem, rng, horizon)
    mubar = estimator.estimate(setting, cells, rewards, fresh, multiple).mean
    mu = estimator.posterior_mean(setting, *estimator.tally(setting.cells, cells, rewards))
    return np.abs(mubar - mu).max(), np.abs(mubar - truth).max(), np.abs(mu - truth).max()


@study("us/spectral", params=WithDelta)
def spectral(params: WithDelta) -> pd.DataFrame:
    """Norms of Lemma 6.1 on kernels with exact Lambda (cosine, uniform contexts)."""
    lines = []
    for name, setting in params.settings.items():
        spectrum = theory.spectrum_of(setting)
        rows = cosine_rows(setting, problem_of(setting).points)
        constants = (setting.decay, spectrum.constant(setting.decay), spectrum.bound, params.delta)
        for horizon in params.horizons:
            gain = information.gain_bounds(setting, horizon)[1]  # the end that favours the lemma
            norms = np.array(
                [
                    _norms(setting, spectrum, rows, horizon, rng)
                    for rng in generators("spectral", setting, horizon, params.runs)
                ]
            )
            limit = theory.spectral_bound(gain, horizon, setting.tau, params.delta)
            condition = theory.proof_condition(gain, horizon, setting.tau, params.delta)
            for column, kind in enumerate(("operator norm", "spectrum")):
                lines.append(
                    {"setting": name, "norm": kind, "t": horizon, "gamma": gain}
                    | {"delta": params.delta, "runs": params.runs}
                    | summary(norms[:, column], limit)
                    | {"condition": condition}
                    | {"n1bar": max(theory.n1bar_forms(*constants).values())}
                )
    return pd.DataFrame(lines)


def _norms(setting, spectrum, rows, horizon: int, rng) -> tuple[float, float]:
    """|Z~^-1 Z - Id|_2, and the largest |eigenvalue - 1| of Z~^-1 Z.

    In the coordinates sqrt(lambda_j) psi_j, orthonormal in the RKHS, Z is diagonal.
    """
    fresh, multiple = estimator.draw_fresh(problem_of(setting), rng, horizon)
    z = horizon * spectrum.values + setting.tau
    covariance = (rows.T * (fresh / multiple)) @ rows + setting.tau * np.eye(len(z))
    product = np.linalg.solve(covariance, np.diag(z))
    operator = np.linalg.norm(product - np.eye(len(z)), 2)
    root = 1.0 / np.sqrt(z)
    inverse_spectrum = np.linalg.eigvalsh(root[:, None] * covariance * root)
    return float(operator), float(np.abs(1.0 / inverse_spectrum - 1.0).max())


class PrivacyGrid(Grid):
    epsilon: tuple[Annotated[float, Field(gt=0)], ...] = (1.0,)


@study("us/privacy", params=PrivacyGrid)
def privacy(params: PrivacyGrid) -> pd.DataFrame:
    """Exact worst loss and sensitivity over all data sets, given Z, as fractions of the promise."""
    lines = []
    for name, setting in params.settings.items():
        for horizon in params.horizons:
            for run, rng in enumerate(generators("privacy", setting, horizon, params.runs)):
                instance = exact.draw_instance(setting, 1.0, horizon, rng)
                # the loss's supremum is linear in eps: h is
                loss = exact.loss_over_all_data(instance)
                ratio = exact.sensitivity_over_all_data(instance) / instance.sensitivity
                lines += [
                    {"setting": name, "t": horizon, "epsilon": epsilon, "run": run}
                    | {"loss_over_epsilon": loss, "sensitivity_over_bound": ratio}
                    for epsilon in params.epsilon
                ]
    return pd.DataFrame(lines)


class DensityParams(Model):
    setting: KernelSetting
    horizon: Annotated[int, Field(ge=1)]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]
    context: Annotated[float, Field(ge=0, le=1)] = 0.5


@study("us/output_density", params=DensityParams)
def output_density(params: DensityParams) -> pd.DataFrame:
    """The output's density at one context for several epsilon: one Z, one data set for all."""
    setting = params.setting
    problem = problem_of(setting)
    rng = generators("output_density", setting, params.horizon, 1)[0]
    cells, rewards = problem.observe(rng, params.horizon)
    fresh, multiple = estimator.draw_fresh(problem, rng, params.horizon)
    found = estimator.estimate(setting, cells, rewards, fresh, multiple)
    context = min(setting.grid - 1, int(params.context * setting.grid))
    score = found.mean.reshape(problem.values.shape)[:, [context]]
    sensitivity = 2.0 * setting.bound * found.largest_variance
    tables = []
    for epsilon in params.epsilon:
        output = exponential_mechanism(score, epsilon, sensitivity)[:, 0]
        table = {"epsilon": epsilon, "x": (np.arange(setting.grid) + 0.5) / setting.grid}
        table |= {"density": output * setting.grid, "mubar": score[:, 0]}
        tables.append(pd.DataFrame(table | {"f": problem.values[:, context]}))
    return pd.concat(tables, ignore_index=True)
