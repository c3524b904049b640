"""Learners: an algorithm of this library on one's own rewards.

    learner = dpbandits.learner("lazy-dp-ts", arms=5, epsilon=1.0)
    arm = learner.act()
    learner.update(reward)
    learner.save("state.json"); learner = dpbandits.load("state.json")

The object that acts is the class in the algorithm's own file, with exact noise behind its port.
Wrong input raises InputError and leaves the state as it was. The state is not private: it holds
rewards that no noise has hidden yet. It is written readable for its owner alone.
"""

import hashlib
import json
import math
import numbers
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.core.algorithms import algorithms, get_algorithm
from dpbandits.core.documents import read_text
from dpbandits.core.errors import InputError, nearest, said
from dpbandits.core.files import atomic
from dpbandits.core.models import as_whole_number, parse_epsilon, shown
from dpbandits.core.port import ExactNoise, SimulatedNoise

FORMAT = 1  # of saved states
LEAST_EPSILON = 1e-6  # of exact noise, whose integers have 64 bits
SENSITIVE = "not private: keep this file as secret as the rewards"
NOT_COVERED = (
    "one record is one round: a person in k rounds loses up to k epsilon",
    "whoever can read the state, saved or in memory, sees rewards without noise",
    "a saved state from which several learners continue: each draws new noise for the same rewards",
    "how long an action takes to compute",
    "whether, when and how often rewards arrive",
)
SIMULATED = "floating-point noise, from a generator with a seed: for simulations, not for real data"


@dataclass(frozen=True)
class Privacy:
    """What a learner promises about everything that its actions show."""

    notion: str
    neighbours: str
    epsilon: float
    delta: float
    theorem: str
    noise: str
    not_covered: tuple[str, ...]

    def __str__(self) -> str:
        texts = {key: value for key, value in vars(self).items() if key != "not_covered"}
        lines = [f"{key}: {value}" for key, value in texts.items() if value != ""]
        return "\n".join([*lines, "not covered:", *(f"  - {text}" for text in self.not_covered)])


class Learner:
    """An algorithm in use; `dpbandits.learner` makes one, `dpbandits.load` goes on with one."""

    def __init__(self, algorithm, fixed, about: dict[str, Any], privacy: Privacy):
        self.algorithm = algorithm  # of the class in the algorithm's file
        self._fixed = {"noise", "rng", "epsilon", *fixed}  # its attributes that are no state
        self.privacy = privacy
        self.rounds = 0  # actions so far
        self._about = about  # the arguments of `learner`, but the seed
        self.pending: dict[int, Any] = {}  # ticket -> what was played: rounds without reward
        exact = about["noise"] == "exact" and not math.isinf(about["epsilon"])
        self._grid = algorithm.grid if exact else None

    def __repr__(self) -> str:
        about = {k: v for k, v in self._about.items() if k not in ("name", "allow_not_private")}
        keys = ", ".join(f"{key}={value!r}" for key, value in about.items())
        return f"<learner {self.name}: {keys}; {self.rounds} rounds played>"

    @property
    def ticket(self) -> int:
        """The number of the last round, for a reward that comes late."""
        return self.rounds

    @property
    def name(self) -> str:
        return self._about["name"]

    def act(self, context=None) -> int:
        """The action to play now; `context` for sparse algorithms (K x d) and USCA (a point)."""
        algorithm = self.algorithm
        if algorithm.over:
            raise InputError(f"act: {algorithm.over}")
        if self.pending and algorithm.waits():
            first, n = min(self.pending), len(self.pending)
            more = f" (and of {n - 1} later ones)" if n > 1 else ""
            missing = f"the reward of round {first}{more} is missing: update first"
            raise InputError(f"act: {missing}; {algorithm.late}")
        last = getattr(algorithm, "last_round", None)
        if last is not None and self.rounds >= last:
            raise InputError(f"act: the {last} rounds of horizon= are over; {algorithm.after_last}")
        if algorithm.takes_context and context is None:
            raise InputError(f"act: the context is missing; allowed: {algorithm.context_form}")
        if algorithm.takes_context:
            action = algorithm.act(algorithm.read_context(context))
        elif context is not None:
            raise InputError(f"act: {self.name} takes no context")
        else:
            action = algorithm.act()
        self.rounds += 1
        if not algorithm.over:
            self.pending[self.rounds] = getattr(algorithm, "J", None)
        return action

    def update(self, reward, ticket: int | None = None) -> None:
        """The reward of the last round, or of the round of a ticket."""
        algorithm = self.algorithm
        ticket = self.rounds if ticket is None else ticket
        whole = isinstance(ticket, numbers.Integral) and not isinstance(ticket, bool)
        if not whole or ticket not in self.pending:
            known = whole and 1 <= ticket <= self.rounds
            why = "has its reward already" if known else "has not been played"
            raise InputError(f"update: round {shown(ticket)} {why}; allowed: after an act, once")
        X = algorithm.read_reward(reward, self._about["rewards"] == "clip")
        if self._grid:
            X = np.rint(X / self._grid) * self._grid
        played = self.pending.pop(ticket)
        if played is not None:
            algorithm.J = played
        algorithm.update(X)

    def save(self, path: str | os.PathLike) -> None:
        """Write the state, whole or not at all, readable for its owner alone (mode 0600)."""
        state = {
            "format": FORMAT,
            "sensitive": SENSITIVE,
            "learner": self._about | {"epsilon": repr(float(self._about["epsilon"]))},
            "rounds": self.rounds,
            "pending": [[ticket, played] for ticket, played in self.pending.items()],
            "state": {name: encoded(value) for name, value in self.state_values().items()},
            "random": encoded(self.algorithm.rng.bit_generator.state),
        }
        state["checksum"] = checksum(state)
        try:
            with atomic(_path(path)) as temporary:
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with open(descriptor, "w", encoding="utf-8") as file:
                    file.write(json.dumps(state, allow_nan=False) + "\n")
                    file.flush()
                    os.fsync(descriptor)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None

    def state_values(self) -> dict[str, Any]:
        values = vars(self.algorithm).items()
        return {name: value for name, value in values if name not in self._fixed}


def learner(
    name: str, *, epsilon: float | None = None, noise: str = "exact", seed: int | None = None,
    rewards: str = "refuse", allow_not_private: bool = False, **setting,
) -> Learner:  # fmt: skip
    """A learner of this algorithm, e.g. `learner("lazy-dp-ts", arms=5, epsilon=1.0)`.

    noise: "exact" (needs `dpbandits[exact]`) or "simulated", which alone takes a seed.
    rewards: "refuse" those outside of the allowed range, or "clip" them. allow_not_private: also
    algorithms and variants that are not private as promised. setting: `arms`, and the keys of the
    algorithm (`dpbandits list algorithms`); `horizon` where it must be known.
    """
    entry = get_algorithm(name)
    if entry.learner is None:
        same = [e.name for e in algorithms().values() if e.learner and e.paper == entry.paper]
        use = f"learners for its problem: {', '.join(sorted(same))}" if same else "no learner"
        raise InputError(f"learner: {entry.name} can only be simulated; {use}")
    for key, value, allowed in (
        ("noise", noise, ("exact", "simulated")),
        ("rewards", rewards, ("refuse", "clip")),
    ):
        if value not in allowed:
            raise InputError(f"{key} = {shown(value)}: {nearest(value, allowed)}")
    if seed is not None:
        if noise == "exact":
            raise InputError('learner: seed: allowed: with noise="simulated"')
        seed = as_whole_number(seed, "seed", least=0)
    if epsilon is not None and not entry.private and parse_epsilon(epsilon) < math.inf:
        use = "leave epsilon out, and give allow_not_private=True"
        raise InputError(f"learner: {entry.name} is not private and takes no epsilon: {use}")
    if epsilon is None and entry.private and not allow_not_private:
        raise InputError("learner: epsilon is missing: give epsilon=, e.g. epsilon=1.0")
    epsilon = parse_epsilon(math.inf if epsilon is None else epsilon)
    arguments, checked = entry.learner.from_user(entry.setting, **setting)
    _refuse_not_private(entry, checked, epsilon, allow_not_private)
    rng = np.random.Generator(np.random.Philox(seed))
    exact = noise == "exact" and not math.isinf(epsilon)
    if exact and not LEAST_EPSILON <= epsilon <= 1 / LEAST_EPSILON:
        raise InputError(f"epsilon = {epsilon:g}: allowed with exact noise: from 1e-6 to 1e6")
    port = ExactNoise(entry.learner.grid) if exact else SimulatedNoise(rng)
    algorithm = entry.learner(epsilon=epsilon, noise=port, rng=rng, **arguments)
    about = {"name": entry.name, "epsilon": epsilon, "noise": noise, "rewards": rewards}
    about |= {"allow_not_private": allow_not_private}
    about |= {key: getattr(value, "item", lambda v=value: v)() for key, value in setting.items()}
    return Learner(algorithm, arguments, about, _promise(entry, checked, epsilon, noise))


def _refuse_not_private(entry, setting, epsilon: float, allowed: bool) -> None:
    if allowed:
        return
    why = entry.warning(setting, epsilon)
    if not entry.private:
        why = f"{entry.name} is not private"
    elif math.isinf(epsilon):
        why = "epsilon = inf promises nothing"
    if why:
        raise InputError(f"learner: {why}; allow_not_private=True takes it all the same")


def _promise(entry, setting, epsilon: float, noise: str) -> Privacy:
    real = entry.real_epsilon(setting, epsilon)
    if math.isinf(real):
        nothing = ("everything: its actions may show the rewards",)
        return Privacy("not private", "", real, 1.0, "", "no promise depends on it", nothing)
    delta = entry.notion.delta
    if delta is None:
        delta = getattr(setting, "delta", 0.0)
    return Privacy(
        entry.notion.name,
        entry.learner.neighbours,
        real,
        delta,
        entry.proof,
        "discrete, drawn exactly by OpenDP" if noise == "exact" else SIMULATED,
        NOT_COVERED + getattr(entry.learner, "clips", ()),
    )


def load(path: str | os.PathLike) -> Learner:
    """The learner that was saved, in the state in which it was."""
    text = read_text(_path(path))
    try:
        state = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not a saved learner, or cut off: not JSON") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        found = shown(state.get("format")) if isinstance(state, dict) else "none"
        raise InputError(f"{path}: format {found} of a saved learner; allowed: {FORMAT}")
    if state.pop("checksum", None) != checksum(state):
        raise InputError(f"{path}: changed since it was saved: its checksum is another")
    try:
        return _restored(state)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: not a saved learner: {said(error)}") from None


def _restored(state: dict[str, Any]) -> Learner:
    about = state["learner"]
    loaded = learner(**about | {"epsilon": float(about["epsilon"])})
    for name, value in state["state"].items():
        if hasattr(type(loaded.algorithm), name) or name in loaded._fixed:  # noqa: SLF001
            raise ValueError(f"{name} is no state")
        setattr(loaded.algorithm, name, decoded(value))
    loaded.algorithm.rng.bit_generator.state = decoded(state["random"])
    loaded.rounds = as_whole_number(state["rounds"], "rounds", least=0)
    loaded.pending = dict(state["pending"])
    return loaded


def _path(path: Any) -> Path:
    named = isinstance(path, str | os.PathLike) and Path(path).name
    if not named or "\0" in str(path):
        raise InputError(f"path = {shown(path)}: allowed: the name of a file")
    return Path(path)


def checksum(state: dict[str, Any]) -> str:
    """Shows damage and careless edits; it is no signature."""
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def encoded(value: Any) -> Any:
    """Numbers, texts, arrays, and lists and dictionaries of them, as plain JSON."""
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"items": {key: encoded(item) for key, item in value.items()}}
    return [encoded(item) for item in value] if isinstance(value, list) else value


def decoded(value: Any) -> Any:
    if isinstance(value, dict) and "dtype" in value:
        return np.array(value["values"], value["dtype"]).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value["items"].items()}
    return [decoded(item) for item in value] if isinstance(value, list) else value
