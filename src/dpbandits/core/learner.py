"""Learners: an algorithm of this library, or one's own, on one's own rewards.

    learner = dpbandits.learner("lazy-dp-ts", arms=5, epsilon=1.0, delay=200)
    arm = learner.act()
    learner.update(reward, ticket=learner.ticket)
    learner.save("state.json"); learner = dpbandits.load("state.json")

The object that acts is the class in the algorithm's own file, with exact noise behind its port.
What a service needs beyond that is here, once for all of them: rewards that are late or lost, arms
that cannot be played, ranges of rewards, persons with several rewards, the state file, and that a
restart shows no second release of the same rewards. Wrong input raises InputError and leaves the
state as it was. The state is not private: it holds rewards that no noise has hidden yet.
"""

import hashlib
import json
import math
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, SupportsFloat

import numpy as np

from dpbandits.core.algorithms import Algorithm, algorithms, get_algorithm
from dpbandits.core.documents import read_text
from dpbandits.core.errors import InputError, said
from dpbandits.core.models import Count, Epsilon, Model, Range, Whole, parse, shown, state_of, whole
from dpbandits.core.port import ExactNoise, SimulatedNoise

FORMAT = 2  # of saved states
LEAST_EPSILON = 1e-6  # of exact noise, whose integers have 64 bits
SENSITIVE = "not private: keep this file as secret as the rewards"
ARMS = "which are allowed or added, and when, must not depend on rewards"
COPIES = (
    "a second learner on the same people, a fork, or a copy of this one or of its state: each of "
    "them adds its epsilon"
)
RESTART = (
    "once saved, it shows nothing that its file does not have, so that one who goes on from the "
    "last save draws no noise twice for the same rewards"
)
NOT_COVERED = (
    "whoever can read the state, saved or in memory, sees rewards without noise",
    "how long an action takes to compute",
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
    person: str = ""  # whom the promise is made to
    rewards: str = ""  # which are taken, and what happens to the others
    delay: str = ""  # when a reward counts, and what if it does not come
    arms: str = ""
    copies: str = ""
    restart: str = ""  # what is never drawn twice, and by whose doing

    def __str__(self) -> str:
        texts = {key: value for key, value in vars(self).items() if key != "not_covered"}
        lines = [f"{key}: {value}" for key, value in texts.items() if value != ""]
        return "\n".join([*lines, "not covered:", *(f"  - {text}" for text in self.not_covered)])


@dataclass(slots=True)
class Round:
    """A round whose reward has not been counted."""

    arm: int
    context: tuple  # of one context, or empty
    reward: Any = None


class Learner:
    """An algorithm in use; `dpbandits.learner` makes one, `dpbandits.load` goes on with one."""

    def __init__(self, algorithm, about: dict[str, Any], privacy: Privacy):
        self.algorithm = algorithm  # of the class in the algorithm's file
        if unset := [name for name in state_of(algorithm) if not hasattr(algorithm, name)]:
            raise InputError(f"learner: start sets no {unset[0]}, which state declares")
        self.privacy = privacy
        self.rounds = 0  # actions so far
        self.late = 0  # rewards that came after their round had been counted
        self.pending: dict[int, Round] = {}  # ticket -> round, at most `delay` of them and one more
        self.plays = [0] * algorithm.K
        self._about = about  # the arguments of `learner`, but the seed
        self._saved = ""  # the checksum of the state that was saved or loaded last
        self._range, self._clip = about["reward_range"] or (), about["rewards"] == "clip"
        self.delay: int = about["delay"]
        exact = isinstance(algorithm.noise, ExactNoise)
        self._grid = algorithm.grid if exact else None
        self._port = algorithm.noise if exact else None

    def __repr__(self) -> str:
        about = {k: v for k, v in self._about.items() if DEFAULTS.get(k, self) != v and k != "name"}
        keys = ", ".join(f"{key}={value!r}" for key, value in about.items())
        return f"<learner {self.name}: {keys}; {self.rounds} rounds played>"

    @property
    def ticket(self) -> int:
        """The number of the last round, for a reward that comes late."""
        return self.rounds

    @property
    def name(self) -> str:
        return self._about["name"]

    def act(self, context=None, *, allowed: Iterable[int] | None = None) -> int:
        """The action to play now; `context` for sparse algorithms (K x d) and USCA (a point).

        allowed: the arms that can be played in this round; which they are must not depend on
        rewards. With a delay the reward that is due is counted after the action has been chosen.
        """
        algorithm = self.algorithm
        self._refuse_unsaved("act")
        if algorithm.over:
            raise InputError(f"act: {algorithm.over}")
        if self.pending and not self.delay:
            missing = f"the reward of round {self.rounds} is missing: update first"
            raise InputError(f"act: {missing}, or allowed: delay=, within which it may come or not")
        plain = context is None and not algorithm.takes_context
        x = () if plain else self._read_context(context)
        options = {} if allowed is None else {"allowed": self._read_allowed(allowed)}
        action = algorithm.act(*x, **options)
        self.rounds += 1
        self.plays[action] += 1
        if not algorithm.over:
            self.pending[self.rounds] = Round(action, x)
        if self.delay and (due := self.rounds - self.delay) in self.pending:
            self._count(self.pending.pop(due))
        return action

    def update(self, reward: SupportsFloat | Sequence[float], ticket: int | None = None) -> None:
        """The reward of the last round, or of the round of a ticket, once. Later than the delay it
        is ignored, and counted in `late`."""
        try:
            ticket = self.rounds if ticket is None else whole(ticket)
        except (TypeError, ValueError):
            allowed = "the number of a round, learner.ticket"
            raise InputError(f"update: ticket: allowed: {allowed}") from None
        played = self.pending.get(ticket)
        if played is None or played.reward is not None:
            known = 1 <= ticket <= self.rounds
            if played or not known or not self.delay:
                why = "has its reward already" if known else "has not been played"
                allowed = "allowed: after an act, once"
                raise InputError(f"update: round {shown(ticket)} {why}; {allowed}")
        X = self._read_reward(reward)
        if played is None:
            self.late += 1
        elif self.delay:
            played.reward = X
        else:
            del self.pending[ticket]
            self.algorithm.update(played.arm, X, *played.context)

    def estimates(self) -> dict[str, list]:
        """What has been released, which may be shown to anybody: for each arm the mean with noise,
        the standard deviation of this noise (None before the first release) and the plays; of
        sparse algorithms the coefficients."""
        self._refuse_unsaved("estimates")
        algorithm = self.algorithm
        found = {name: np.asarray(x).tolist() for name, x in algorithm.estimates().items()}
        if algorithm.takes_context:
            return found
        (low, high), without = self._range or (0.0, 1.0), algorithm.unreleased()
        for name, start in (("mean", low), ("noise", 0.0)):
            scaled = [start + (high - low) * x for x in found.get(name, ())]
            found[name] = [None if j in without else x for j, x in enumerate(scaled)]
        return {"plays": list(self.plays)} | {name: x for name, x in found.items() if x}

    def add_arm(self) -> int:
        """One more arm, and its number; when this happens must not depend on rewards."""
        if not self.algorithm.grows:
            raise InputError(f"add_arm: {self.name} needs all arms from the start; give arms=")
        self.algorithm.add_arm()
        self.plays.append(0)
        self._about["arms"] = self.algorithm.K
        return self.algorithm.K - 1

    def save(self, path: str | os.PathLike) -> None:
        """Write the state, whole or not at all, readable for its owner alone (mode 0600).

        From then on nothing is shown that rests on noise which the file does not have: `act` and
        `estimates` ask to save first. A file that this learner has neither written nor been loaded
        from is not overwritten: it may be the state of another process, which is newer.
        """
        path = _path(path)
        try:
            state = self.state()
            state["checksum"] = checksum(state)
        except TypeError:
            raise InputError(
                "save: state: allowed: numbers, arrays, texts, lists of these"
            ) from None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _one_at_a_time(path.parent):
                if path.exists() and _checksum_in(path) != self._saved:
                    newer = "this file is not the state that was saved or loaded last"
                    use = "load it" if self._saved else "load it, or allowed: another name"
                    raise InputError(f"{path}: {newer}; {use}")
                _write(json.dumps(state) + "\n", path)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
        self._saved = state["checksum"]
        if self._port:
            self._port.drawn = False

    def _refuse_unsaved(self, what: str) -> None:
        """Nothing is shown of noise that the file does not have: one who goes on from that file
        would draw it again, and n outputs of the same rewards give n times the epsilon."""
        if self._saved and self._port and self._port.drawn:
            raise InputError(f"{what}: noise has been drawn since the last save: save first")

    def _read_context(self, context) -> tuple:
        algorithm = self.algorithm
        if not algorithm.takes_context:
            raise InputError(f"act: {self.name} takes no context")
        if context is None:
            raise InputError(f"act: the context is missing; allowed: {algorithm.context_form}")
        try:
            return (algorithm.read_context(context),)
        except InputError:
            raise
        except Exception:  # of an object of the user, with a text that may have its value
            raise InputError(f"act: the context: allowed: {algorithm.context_form}") from None

    def _read_allowed(self, allowed) -> list[int]:
        try:
            arms = sorted({whole(arm) for arm in allowed})
        except (TypeError, ValueError):
            arms = []
        if not arms or not 0 <= arms[0] <= arms[-1] < self.algorithm.K:
            which = f"some of the whole numbers from 0 to {self.algorithm.K - 1}"
            raise InputError(f"act: arms in allowed=: allowed: {which}")
        return arms

    def _read_reward(self, reward):
        X = self.algorithm.read_reward(reward, self._clip, *self._range)
        if self._range:
            low, high = self._range
            X = (X - low) / (high - low)
        return np.rint(X / self._grid) * self._grid if self._grid else X

    def _count(self, played: Round) -> None:
        """The reward of this round enters, or what counts for one that did not come."""
        X = self.algorithm.missing if played.reward is None else played.reward
        self.algorithm.update(played.arm, X, *played.context)

    def state(self) -> dict[str, Any]:
        """What is saved: not private."""
        algorithm = self.algorithm
        rows = [[t, r.arm, list(r.context), r.reward] for t, r in self.pending.items()]
        return {
            "format": FORMAT,
            "sensitive": SENSITIVE,
            "learner": self._about | {"epsilon": repr(float(self._about["epsilon"]))},
            "rounds": self.rounds,
            "late": self.late,
            "plays": self.plays,
            "pending": encoded(rows),
            "state": {name: encoded(getattr(algorithm, name)) for name in state_of(algorithm)},
            "random": encoded(algorithm.rng.bit_generator.state),
        }


class Service(Model):
    """What `learner` takes besides the keys of the algorithm."""

    epsilon: Epsilon | None = None
    delay: Whole = 0
    reward_range: Range | None = None
    rewards: Literal["refuse", "clip"] = "refuse"
    contributions: Count = 1
    noise: Literal["exact", "simulated"] = "exact"
    seed: Whole | None = None
    allow_not_private: bool = False


def learner(
    algorithm: str | type, *, epsilon: float | None = None, delay: int = 0,
    reward_range: tuple[float, float] | None = None, rewards: str = "refuse",
    contributions: int = 1, noise: str = "exact", seed: int | None = None,
    allow_not_private: bool = False, **setting,
) -> Learner:  # fmt: skip
    """A learner of this algorithm, e.g. `learner("lazy-dp-ts", arms=5, epsilon=1.0)`.

    algorithm: its name, or a class of one's own (docs/how-to/add-an-algorithm.md).
    delay: a reward counts this many rounds after its own, one that has not come until then as the
    lowest; 0: each reward comes before the next action. reward_range: (lowest, highest) reward,
    public; bandits take 0 to 1 by default. rewards: "refuse" those outside of it, or "clip" them.
    contributions: in how many rounds one person's rewards are at most; the promise is per person.
    noise: "exact", or "simulated", which alone takes a seed. allow_not_private: also algorithms and
    variants that are not private as promised. setting: `arms`, and the keys of the algorithm
    (docs/which.md; the error for another key names all); `horizon` where it must be known.
    """
    entry = _of_class(algorithm) if isinstance(algorithm, type) else get_algorithm(algorithm)
    if entry.learner is None:
        same = [e.name for e in algorithms().values() if e.learner and e.paper == entry.paper]
        use = f"learners for its problem: {', '.join(sorted(same))}" if same else "no learner"
        raise InputError(f"learner: {entry.name} can only be simulated; {use}")
    service = parse(Service, {
        "epsilon": epsilon, "delay": delay, "reward_range": reward_range, "rewards": rewards,
        "contributions": contributions, "noise": noise, "seed": seed,
        "allow_not_private": allow_not_private,
    }, "learner")  # fmt: skip
    if seed is not None and noise == "exact":
        raise InputError('learner: seed: allowed: with noise="simulated"')
    if reward_range is not None and not entry.learner.takes_range:
        raise InputError(f"learner: {entry.name} takes no reward_range")
    if epsilon is None and entry.private and not allow_not_private:
        raise InputError("learner: epsilon is missing: give epsilon=, e.g. epsilon=1.0")
    epsilon = math.inf if service.epsilon is None else service.epsilon
    if epsilon < math.inf and not entry.private:
        use = "leave epsilon out, and give allow_not_private=True"
        raise InputError(f"learner: {entry.name} is not private and takes no epsilon: {use}")
    arguments, checked = entry.learner.from_user(entry.setting, **setting)
    _refuse_not_private(entry, checked, epsilon, allow_not_private)
    each = epsilon  # of a round's record
    if contributions > 1 and not math.isinf(epsilon):
        inner, each = entry.learner.for_person(checked, epsilon, service.contributions)
        arguments = {k: inner if v is checked else v for k, v in arguments.items()}
    rng = np.random.Generator(np.random.Philox(service.seed))
    exact = noise == "exact" and not math.isinf(epsilon)
    if exact and not LEAST_EPSILON <= each <= 1 / LEAST_EPSILON:
        raise InputError(f"epsilon = {each:g}: allowed with exact noise: from 1e-6 to 1e6")
    port = ExactNoise(entry.learner.grid) if exact else SimulatedNoise(rng)
    made = entry.learner(epsilon=each, noise=port, rng=rng, **arguments)
    if advice := getattr(made, "advice", ""):
        warnings.warn(advice, stacklevel=2)
    about = {"name": entry.name} | service.model_dump(exclude={"seed"}) | {"epsilon": epsilon}
    about |= {key: getattr(value, "item", lambda v=value: v)() for key, value in setting.items()}
    return Learner(made, about, _promise(entry, checked, about))


DEFAULTS = Service().model_dump(exclude={"epsilon", "noise", "seed"})


def _of_class(cls: type) -> Algorithm:
    """The entry of a class that is not registered: its promise is its author's."""
    if not hasattr(cls, "model") or not hasattr(cls, "update"):
        raise InputError(f"learner: {cls.__name__}: allowed: a subclass of dpbandits.Bandit")
    return Algorithm(
        cls.__name__, cls, cls.model, "", "claimed by its author", cls.__module__, learner=cls,
    )  # fmt: skip


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


def _promise(entry, setting, about: dict[str, Any]) -> Privacy:
    epsilon, cls = about["epsilon"], entry.learner
    real = entry.real_epsilon(setting, epsilon)
    if math.isinf(real):
        nothing = ("everything: its actions may show the rewards",)
        none = "no promise depends on it"
        return Privacy("not private", "", real, 1.0, "", none, nothing)
    delta = entry.notion.delta
    if delta is None:
        delta = getattr(setting, "delta", 0.0)
    ours = entry.module.startswith("dpbandits.")
    theorem = entry.proof if ours else "claimed by its author"
    k, delay, exact = about["contributions"], about["delay"], about["noise"] == "exact"
    rounds = "one round" if k == 1 else f"at most {k} rounds"
    more = [f"a person in more than {'one round' if k == 1 else f'{k} rounds'}: the loss adds up"]
    bounds = about["reward_range"] or cls.bounds(setting)
    taken = f"from {bounds[0]:g} to {bounds[1]:g}" if bounds else "any number"
    if bounds:
        others = "clipped to this range" if about["rewards"] == "clip" else "refused"
        taken += f"; others are {others}"
    when = "none: every reward comes before the next action"
    if delay:
        when = (
            f"a reward counts {delay} rounds after its own, one that has not come as "
            f"{'the lowest' if bounds else 0}: whether and when it comes is covered"
        )
    else:
        more.append("whether and when rewards come (with delay= it is covered)")
    return Privacy(
        notion=entry.notion.name,
        neighbours=cls.neighbours.replace("{rounds}", rounds),
        epsilon=real,
        delta=delta,
        theorem=theorem,
        noise="discrete, drawn exactly by OpenDP" if exact else SIMULATED,
        not_covered=(*more, *NOT_COVERED, *getattr(cls, "clips", ())),
        person=f"one person's rewards are in {rounds}; the promise is to that person",
        rewards=taken,
        delay=when,
        arms=ARMS,
        copies=COPIES,
        restart=RESTART if exact else "",
    )


def load(path: str | os.PathLike, algorithm: type | None = None) -> Learner:
    """The learner that was saved, in the state in which it was; `algorithm`: the class of one's own
    that it was made with."""
    text = read_text(_path(path))
    try:
        state = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not a saved learner, or cut off: not JSON") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        found = shown(state.get("format")) if isinstance(state, dict) else "none"
        raise InputError(f"{path}: format {found} of a saved learner; allowed: {FORMAT}")
    digest = state.pop("checksum", None)
    if digest != checksum(state):
        raise InputError(f"{path}: changed since it was saved: its checksum is another")
    try:
        loaded = _restored(state, algorithm)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: not a saved learner: {said(error)}") from None
    loaded._saved = digest  # noqa: SLF001
    return loaded


def _restored(state: dict[str, Any], algorithm: type | None) -> Learner:
    about = dict(state["learner"])
    name = about.pop("name")
    if algorithm is not None and algorithm.__name__ != name:
        raise InputError(f"load: the class of this learner: {shown(name)}")
    loaded = learner(algorithm or name, **about | {"epsilon": float(about["epsilon"])})
    values, names = state["state"], state_of(loaded.algorithm)
    if sorted(values) != sorted(names):
        raise ValueError(f"its state is not that of {name}")
    for key in names:
        setattr(loaded.algorithm, key, decoded(values[key]))
    loaded.algorithm.rng.bit_generator.state = decoded(state["random"])
    loaded.rounds, loaded.late = state["rounds"], state["late"]
    loaded.plays = state["plays"]
    for ticket, arm, context, reward in decoded(state["pending"]):
        loaded.pending[ticket] = Round(arm, tuple(context), reward)
    return loaded


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """No other process saves into this folder meanwhile (where the system can lock a folder)."""
    descriptor = None
    with suppress(ImportError, OSError):
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _checksum_in(path: Path) -> str | None:
    """The checksum at the end of a saved state; None of a folder, a device or a pipe."""
    if not path.is_file():
        return None
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 67))
        return file.read()[:64].decode("ascii", "replace")


def _write(text: str, path: Path) -> None:
    """By a new file of a random name that only its owner can read, which replaces the old one."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


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
