"""KL's policies on one's own data: sample an action, and know what that loses of this data set.

    policy = dpbandits.policy("kl-linear", (features, rewards), eta=0.1, beta0=0.5)
    action = policy.sample(actions)          # the rows phi(x, a) of all actions at a context
    policy.privacy(actions)                  # the loss of one sample at this context

No noise is added: the policy is random itself. The loss is that of this data set and context; it
is a function of the data, so that publishing it, or a setting chosen by it, is a release too.
"""

from numbers import Real

import numpy as np

from dpbandits.core.errors import InputError, entry_of
from dpbandits.core.learner import SIMULATED, Privacy
from dpbandits.core.models import as_whole_number, floats, shown
from dpbandits.core.port import FINENESS, ExactNoise, SimulatedNoise
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mechanisms.records import MOST_ARMS
from dpbandits.offline.mechanisms.theorems import linear_bounds, preference_bounds
from dpbandits.offline.mle import SeparableData
from dpbandits.offline.pessimistic_mab import bandit_policy
from dpbandits.offline.problem import MAX_DIFFERENCE_NORM, BanditData, Preferences

KINDS = ("remove", "add")
NEIGHBOURS = "one record is removed from this data set, or added to it"
ROUNDING = 4 * FINENESS**2  # ln pi is rounded to steps of at most FINENESS^2 before it is sampled
NOT_COVERED = (
    "another data set may lose more: this is the loss of this one",
    "this number and a setting chosen by it depend on the data: publishing them is a release",
    "each further sample costs the loss again",
    "probabilities are computed in floating point: to about 1e-9",
)


class Policy:
    """One data set and one setting of a policy; `law` is ln pi at a context."""

    def __init__(self, noise):
        self.noise = noise

    def law(self, actions):
        raise NotImplementedError

    def loss(self, actions) -> tuple[float, str]:
        raise NotImplementedError

    def sample(self, actions=None) -> int:
        """An action at the context whose actions have these features (kl-mab: an arm)."""
        law = self.law(actions)
        return self.noise.exponential_mechanism(law, 1.0, sensitivity=FINENESS, name="ln pi")

    def privacy(self, actions=None) -> Privacy:
        """What one sample at this context loses of this data set."""
        epsilon, how = self.loss(actions)
        exact = isinstance(self.noise, ExactNoise)
        noise = "exponential mechanism, drawn exactly by OpenDP" if exact else SIMULATED
        notion = "pure, at this data set"
        return Privacy(notion, NEIGHBOURS, epsilon + ROUNDING, 0.0, how, noise, NOT_COVERED)


class BanditPolicy(Policy):
    """(8). data: (arms 0..K-1, rewards in [0, reward_max])."""

    def __init__(self, noise, data, eta, beta0, *, arms=None, reward_max=1.0):
        super().__init__(noise)
        played, rewards = numbers(data[0], "arms"), numbers(data[1], "rewards")
        within(played, 0.0, MOST_ARMS - 1, "arms")
        last = int(played.max())
        arms = last + 1 if arms is None else as_whole_number(arms, "arms", last + 1, MOST_ARMS)
        if played.shape != rewards.shape or (played != np.floor(played)).any() or played.min() < 0:
            raise InputError("policy: arms: allowed: whole numbers from 0, one for each reward")
        within(rewards, 0.0, reward_max, "rewards")
        self.data = BanditData.from_records(played.astype(int), rewards, arms)
        self.options = eta, beta0
        self.reward_max = reward_max

    def law(self, actions=None):
        if actions is not None:
            raise InputError("policy: kl-mab takes no actions")
        return bandit_policy(self.data, *self.options)

    def loss(self, actions=None):
        self.law(actions)
        worst = exact_loss(self.data, *self.options, self.reward_max, KINDS)
        if np.isinf(worst.pure):
            few = np.flatnonzero(self.data.counts < 2).tolist()
            return worst.pure, (
                f"exact over all neighbours: an arm without records is never played, so that its "
                f"only record shows; arms with fewer than 2 records: {few}"
            )
        return worst.pure, "exact over all neighbours"


class LinearPolicy(Policy):
    """(10). data: (features with norm at most 1, rewards in [0, reward_max])."""

    def __init__(self, noise, data, eta, beta0, *, penalty=1.0, reward_max=1.0):
        super().__init__(noise)
        self.features, self.rewards = rows(data[0], 1.0, "features"), numbers(data[1], "rewards")
        if len(self.features) != len(self.rewards):
            raise InputError("policy: allowed: as many rewards as rows of features")
        within(self.rewards, 0.0, reward_max, "rewards")
        self.options = {"eta": eta, "beta0": beta0, "penalty": penalty, "reward_max": reward_max}
        self.width = self.features.shape[1]

    def at(self, actions) -> LinearAudit:
        actions = rows(actions, 1.0, "actions", self.width)
        return LinearAudit(self.features, self.rewards, actions, **self.options)

    def law(self, actions=None):
        return self.at(actions).log_pi

    def loss(self, actions=None):
        return loss_of(self.at(actions), linear_bounds)


class PreferencePolicy(Policy):
    """(11). data: (differences phi1 - phi2 with norm at most 2, labels 1 if the first won)."""

    def __init__(self, noise, data, eta, beta0, *, radius, penalty=1.0):
        super().__init__(noise)
        differences = rows(data[0], MAX_DIFFERENCE_NORM, "differences")
        labels = numbers(data[1], "labels")
        if len(differences) != len(labels) or not np.isin(labels, (0, 1)).all():
            raise InputError("policy: labels: allowed: 0 or 1, one for each difference")
        self.data = Preferences.from_labels(differences, labels)
        self.options = {"eta": eta, "beta0": beta0, "penalty": penalty, "radius": radius}
        self.width = differences.shape[1]

    def at(self, actions) -> PreferenceAudit:
        try:
            actions = rows(actions, 1.0, "actions", self.width)
            return PreferenceAudit(self.data, actions, **self.options)
        except SeparableData as error:
            raise InputError(f"policy: {error}") from None

    def law(self, actions=None):
        return self.at(actions).log_pi

    def loss(self, actions=None):
        return loss_of(self.at(actions), preference_bounds)


def loss_of(audit, bounds) -> tuple[float, str]:
    """Removals are enumerated; additions are searched for, and bounded by the repaired theorem."""
    found = audit.worst(KINDS).pure
    theorem = bounds(audit, KINDS)
    return max(found, theorem.pure), f"at most this by {theorem.name}; at least {found:.6g}"


POLICIES: dict[str, type] = {
    "kl-mab": BanditPolicy,
    "kl-linear": LinearPolicy,
    "kl-rlhf": PreferencePolicy,
}


def policy(name: str, data, *, eta: float, beta0: float, noise="exact", seed=None, **options):
    """A policy of the KL paper on one's own data: kl-mab, kl-linear or kl-rlhf.

    data: two arrays of the same length. kl-mab: (arms as whole numbers from 0, rewards from 0 to
    reward_max=1.0); kl-linear: (features, rows of norm at most 1; rewards from 0 to reward_max);
    kl-rlhf: (differences of features, rows of norm at most 2; labels, 1 if the first won), and
    radius=. Further options: arms= (kl-mab), penalty= (kl-linear, kl-rlhf). eta: weight of the
    divergence from the uniform reference, beta0: of the pessimism. noise: "exact", or "simulated"
    with a seed.
    """
    entry = entry_of(name, POLICIES, "policy: unknown policy", "")
    positive = {"eta": eta, **options}
    for key, value in {"beta0": beta0, **positive}.items():
        if value is None and key == "arms":
            continue
        small = not isinstance(value, Real) or float(value) < 0 or (key in positive and value == 0)
        if small or value != value:
            raise InputError(f"policy: {key} = {shown(value)}: allowed: a number above 0")
    if noise not in ("exact", "simulated") or (seed is not None and noise == "exact"):
        raise InputError(f"policy: noise = {shown(noise)}: allowed: exact; simulated, with a seed")
    port: ExactNoise | SimulatedNoise = ExactNoise()
    if noise == "simulated":
        seed = seed if seed is None else as_whole_number(seed, "policy: seed", least=0)
        port = SimulatedNoise(np.random.Generator(np.random.Philox(seed)))
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise InputError("policy: data: allowed: two arrays of the same length")
    try:
        return entry(port, data, eta, beta0, **options)
    except TypeError as error:
        raise InputError(f"policy: {error}".replace("__init__()", name)) from None


def numbers(values, what: str) -> np.ndarray:
    try:
        array = floats(values)
    except (TypeError, ValueError):
        raise InputError(f"policy: {what} = {shown(values)}: allowed: numbers") from None
    if array.ndim != 1 or len(array) == 0 or not np.isfinite(array).all():
        raise InputError(f"policy: {what}: allowed: one or more finite numbers in a row")
    return array


def within(values: np.ndarray, low: float, high: float, what: str) -> None:
    wrong = values[(values < low) | (values > high)]
    if len(wrong):
        raise InputError(f"policy: {what}: {wrong[0]:g}; allowed: from {low:g} to {high:g}")


def rows(values, longest: float, what: str, width: int | None = None) -> np.ndarray:
    """Vectors of at most this norm."""
    try:
        array = floats(values)
    except (TypeError, ValueError):
        raise InputError(f"policy: {what} = {shown(values)}: allowed: rows of numbers") from None
    if array.ndim != 2 or array.size == 0 or not np.isfinite(array).all():
        raise InputError(f"policy: {what}: allowed: rows of finite numbers")
    if width and array.shape[1] != width:
        raise InputError(f"policy: {what}: {array.shape[1]} columns; allowed: {width}, as the data")
    norms = np.linalg.norm(array, axis=1)
    if norms.max() > longest * (1 + 1e-9):
        raise InputError(f"policy: {what}: norm {norms.max():g}; allowed: at most {longest:g}")
    return array
