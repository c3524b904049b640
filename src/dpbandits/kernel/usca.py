"""USCA: uniform sampling with covariance approximation (US Algorithm 1) on a grid.

`printed` draws the output with density exp(eps mubar/(2m)), m = 2B sup sigmabar^2. One record moves
mubar mostly to one side, so that the privacy loss is about eps/2. `exact` takes the m at which it
is eps (docs/proofs/US.md, Section 7): B times the largest range over actions of
phi(x,c)' Z~^-1 phi(v). Both depend on Z only, not on the records.
"""

from functools import lru_cache

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.divergences import log_normalise
from dpbandits.core.errors import InputError, refuse_unknown
from dpbandits.core.maximise import normal_cdf, share
from dpbandits.core.models import Horizon, as_array, as_reward, parse
from dpbandits.core.notions import PURE_JOINT
from dpbandits.core.problem import Problem, Records, in_group
from dpbandits.kernel.estimator import Estimate, estimate
from dpbandits.kernel.information import K_by_numpy, K_of, information_gain
from dpbandits.kernel.problem import (
    Instance,
    KernelSetting,
    UscaSetting,
    generator_of,
    problem_of,
    separate_runs,
)

TIE = 1e-11  # of the largest score: symmetric cells tie, and their scores differ by rounding


def one_run(setting: UscaSetting, epsilon: float, T: int, seed: int) -> dict[str, float]:
    """The error rate of one run of Algorithm 1, averaged exactly over the output of lines 16 to 18.
    `Usca` below plays the same lines, one user at a time."""
    problem = problem_of(setting)
    exact = setting.calibration == "exact" and not np.isinf(epsilon)
    posterior = lines_4_to_14(problem.setting, T, seed, with_range=exact)
    m = printed_scale(setting, posterior.largest_variance)
    if exact:
        m = exact_scale(setting, posterior.largest_range)
    mubar = posterior.mean.reshape(setting.actions, setting.contexts)
    output = exponential_mechanism(mubar, epsilon, m)  # lines 16-18, for every context
    return {
        "regret": problem.error_rate(output),
        "estimation_error": np.abs(mubar - problem.values).max(),
        "largest_variance": posterior.largest_variance,
        "certified_error": posterior.error,
        "information_gain": information_gain(setting, T)[-1],
    }


@lru_cache(maxsize=4096)  # 20 MB with 25 x 25 cells
def lines_4_to_14(setting: KernelSetting, T: int, seed: int, with_range: bool) -> Estimate:
    """These lines do not depend on epsilon and the calibration, so they are computed once."""
    problem = problem_of(setting)
    rng = generator_of("usca", problem, T, seed)
    W_T, Y_T = problem.observe(rng, T)  # lines 4-8
    return lines_9_to_14(problem, rng, W_T, Y_T, with_range)


def lines_9_to_14(problem: Instance, rng, W_T, Y_T, with_range: bool, K=None) -> Estimate:
    Z, K = draw_Z(problem, rng, len(Y_T), K)  # lines 9-13
    return estimate(problem.setting, W_T, Y_T, Z, K, with_range)  # line 14


def draw_Z(problem: Instance, rng: np.random.Generator, T: int, K=None) -> tuple[np.ndarray, int]:
    """The TK points of Z as counts per cell (multinomial: exactly the law of i.i.d. points)."""
    K = K or K_of(problem.setting, T)
    return rng.multinomial(T * K, problem.cell_law).astype(float), K


def printed_scale(setting: KernelSetting, largest_variance: float) -> float:
    return 2.0 * setting.bound * float(largest_variance)


def exact_scale(setting: KernelSetting, largest_range: float) -> float:
    return setting.bound * float(largest_range)


def first_best(score: np.ndarray) -> np.ndarray:
    """The first action of the highest score in each column; scores equal up to rounding tie."""
    best = score.max(axis=0)
    return np.argmax(score >= best - TIE * np.abs(score).max(), axis=0)


def log_output(score: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
    """Def. 3.2: ln of the output's probabilities, proportional to exp(eps score/(2m)) in each
    column (context), m = `sensitivity`."""
    if np.isinf(epsilon):
        return np.where(np.arange(len(score))[:, None] == first_best(score), 0.0, -np.inf)
    behind = score - score.max(axis=0)
    with np.errstate(over="ignore"):  # overflow to -inf at an enormous epsilon
        return log_normalise(epsilon * behind.T / (2.0 * sensitivity or 1.0)).T  # 0: all scores tie


def exponential_mechanism(score: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
    """(actions, contexts), the output's probabilities."""
    return np.exp(log_output(score, epsilon, sensitivity))


class Usca(Problem):
    """Algorithm 1 as it is deployed: T users get uniform actions, then one user gets the output.

    `act(c)` receives the cell of a context and returns an action's number, `update(x, y, c)` the
    reward of action x there. The mechanism of lines 17 and 18 is that of the noise port
    (dpbandits.core.port). It is drawn for all contexts at once, with the last reward; only one of
    these outputs is given, so that reading the state again gives no second one for that context.
    """

    state, logs = ("W_T", "Y_T", "outputs", "given"), ("W_T", "Y_T")
    takes_context, takes_range = True, False
    takes_allowed = False
    neighbours = "context and reward of {rounds} change; the output is protected"
    for_person = classmethod(in_group)

    def __init__(self, setting: UscaSetting, T, epsilon, noise, rng):
        self.setting, self.T, self.epsilon, self.noise, self.rng = setting, T, epsilon, noise, rng
        self.W_T, self.Y_T, self.outputs, self.given = [], [], None, False

    @classmethod
    def from_user(cls, setting, horizon=None, **options):
        """(arguments of the constructor, setting) from a user's keywords; `reward_noise` is the
        setting's `noise`, the bound on the rewards' noise."""
        fixed = ("noise", "function_seed", "calibration")
        keys = [key for key in setting.model_fields if key not in fixed]
        refuse_unknown(options, ["horizon", "reward_noise", *keys, *fixed[1:]], "learner")
        if "reward_noise" in options:
            options["noise"] = options.pop("reward_noise")
        if "function_seed" in options or options.get("calibration", "exact") != "exact":
            raise InputError("learner: allowed: usca's keys without function_seed; exact noise")
        checked = parse(setting, options, "learner")
        rounds = parse(Horizon, {"horizon": horizon}, "learner").horizon
        return {"setting": checked, "T": rounds}, checked

    def act(self, c):
        if self.outputs is None:
            return int(self.rng.integers(self.setting.actions))  # 5, 6
        self.given = True
        return int(self.outputs[c])

    def chance(self, x, allowed):
        """Of the action just played: a uniform one, but the output."""
        return 1 / self.setting.actions if self.outputs is None else None

    def update(self, x, y, c):
        if self.outputs is not None:
            return
        self.W_T.append(x * self.setting.contexts + c)  # 7: the cell of (x, c)
        self.Y_T.append(y)
        if len(self.Y_T) == self.T:
            self.outputs = self.output()

    def output(self):
        """Lines 9 to 18, for all contexts."""
        setting, problem = self.setting, problem_of(self.setting)
        W_T, Y_T = np.array(self.W_T), np.array(self.Y_T)
        posterior = lines_9_to_14(problem, self.rng, W_T, Y_T, True, K_by_numpy(setting, self.T))
        m = exact_scale(setting, posterior.largest_range)
        mubar = posterior.mean.reshape(setting.actions, setting.contexts)  # 16
        # minus one number for all actions, which changes no probability: a record, +-B times a
        # column of M, adds at most m/2 to a score then, and replacing it moves one by at most m
        scores = (mubar - posterior.middle).T
        if m == 0:  # no data move the scores apart
            return self.rng.integers(setting.actions, size=setting.contexts)
        scale = 2 * m / self.epsilon
        choose = self.noise.exponential_mechanism
        return choose(scores, scale, sensitivity=m, name="mubar")  # 17, 18

    @classmethod
    def reward_range(cls, setting):
        return -setting.bound, setting.bound

    @classmethod
    def records(cls, setting):
        """The centre of a cell of contexts, and a reward, both ends of its range included."""

        def record(x):
            cells = np.minimum((normal_cdf(x[1:]) * setting.grid).astype(int), setting.grid - 1)
            reward = setting.bound * (2 * share(x[0]) - 1)
            return ((cells + 0.5) / setting.grid).tolist(), float(reward)

        return Records(width=setting.context_dim + 1, decode=record)

    @property
    def missing(self) -> float:
        """What counts for a reward that does not come: the lowest."""
        return self.reward_range(self.setting)[0]

    @property
    def over(self) -> str:
        return "the output is given, and the promise covers one" if self.given else ""

    @property
    def K(self) -> int:
        return self.setting.actions

    @property
    def context_form(self) -> str:
        dim = self.setting.context_dim
        return "a number from 0 to 1" if dim == 1 else f"{dim} numbers from 0 to 1"

    def read_context(self, context):
        """The cell of a point in [0, 1]^context_dim."""
        dim, side = self.setting.context_dim, self.setting.grid
        point = as_array(context if np.iterable(context) else [context], "context", (dim,))
        if not ((point >= 0) & (point <= 1)).all():
            raise InputError(f"context: allowed: {self.context_form}")
        places = np.minimum((point * side).astype(int), side - 1)
        return int(np.ravel_multi_index(tuple(places), (side,) * dim))

    def read_reward(self, reward, clip):
        """|f| is at most the norm, and the noise is bounded."""
        return as_reward(reward, *self.reward_range(self.setting), clip)


@algorithm(
    "usca",
    setting=UscaSetting,
    source="US Algorithm 1",
    claim="US-T7.3",
    notion=PURE_JOINT,
    learner=Usca,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Regret at t = the error rate of a separate full run with T = t."""
    information_gain(setting, int(checkpoints[-1]))  # of the longest run, computed once
    return separate_runs(lambda seed, T: one_run(setting, epsilon, T, seed), streams, checkpoints)
