"""What a learner promises, in words: `learner.privacy`."""

import math
from dataclasses import dataclass
from typing import Any

from dpbandits.core.bisection import last

ARMS = {
    False: "which are allowed, added or retired, and when, must not depend on rewards; it may on "
    "actions, which are private already",
    True: "which are allowed or retired must depend on nothing private, not on rewards, contexts "
    "or actions: an action shows its own person's context, and so does what is sold out",
}
COPIES = {
    None: "a second learner on the same people, also that of a forked process, is one of its own: "
    "each adds its epsilon",
    False: "a second learner on the same people, a copy of the file, and a backup that is restored "
    "are learners of their own: each adds its epsilon",
    True: "the learners of the file with this budget= keep this promise together; of any other on "
    "the same people, a copy of the file, and a backup that is restored each adds its epsilon",
}  # kept in memory; in a file; there with a budget
RESTART = {
    True: "it shows nothing that its file does not have: the same rewards are never shown with "
    "other noise, however many processes use the file and whatever stops them",
    False: "it ends with its process",
}
NOT_COVERED = (
    "whoever can read the state, saved or in memory, sees rewards without noise",
    "how long an action takes to compute",
    "warnings, which are for whoever runs it: they may say something of contexts",
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
    restart: str = ""  # what a new start shows

    def __str__(self) -> str:
        texts = {key: value for key, value in vars(self).items() if key != "not_covered"}
        lines = [f"{key}: {value}" for key, value in texts.items() if value != ""]
        return "\n".join([*lines, "not covered:", *(f"  - {text}" for text in self.not_covered)])


def lost(delta_of, rho: float, delta: float) -> str:
    """(epsilon, delta) of the cost rho, epsilon rounded up to three digits."""
    high = max(rho, 1e-9)
    while delta_of(rho, high) > delta:
        high *= 2
    at_least = last(lambda epsilon: delta_of(rho, epsilon) <= delta, high, high / 1e4, 1e-4)
    digits = 2 - math.floor(math.log10(at_least))
    return f"({math.ceil(at_least * 10**digits) / 10**digits:g}, {delta:g})"


def more_than_one(real: float, delta: float, by_rho: bool, cls) -> tuple[str, str]:
    """(what several learners lose together, what a person in more rounds loses); `by_rho`: the
    latter adds up as rho; if the learner's class `adds_rho`, the former, too."""
    two, ten = f"{2 * real:g}", f"{10 * real:g}"
    copies = f"{' and its delta' if delta else ''}: {two} for two, {ten} for ten"
    if not by_rho:
        return copies, f"{two} for twice as many, {ten} for ten times"
    rho, delta_of = cls.conversion.largest_rho(real, delta), cls.conversion.delta_of
    if cls.adds_rho:
        two, ten = (lost(delta_of, times * rho, delta) for times in (2, 10))
        copies = f" and its delta; two of this algorithm lose {two}, and ten {ten}"
    two, ten = (lost(delta_of, times * rho, delta) for times in (4, 100))
    return copies, f"{two} for twice as many, {ten} for ten times"


def promise(entry, setting, about: dict[str, Any], kept: bool, budget) -> Privacy:
    epsilon, cls = about["epsilon"], entry.learner
    real = entry.real_epsilon(setting, epsilon)
    if math.isinf(real):
        nothing = ("everything: its actions may show the rewards",)
        none = "no promise depends on it"
        return Privacy("not private", "", real, 1.0, "", none, nothing)
    delta, ours = entry.delta(setting), entry.module.startswith("dpbandits.")
    theorem = entry.proof if ours else "claimed by its author"
    k, delay, exact = about["contributions"], about["delay"], about["noise"] == "exact"
    rounds = "one round" if k == 1 else f"at most {k} rounds"
    copies, grows = more_than_one(real, delta, entry.notion.joint and delta > 0, cls)
    several = "one round" if k == 1 else f"{k} rounds"
    where = f" of all learners of the file with budget={budget!r} together" if budget else ""
    more = [f"a person in more than {several}: the loss adds up, to {grows}"]
    own = ["a person's own action, which may show their own context"] * cls.takes_context
    ends = about["reward_range"] or cls.reward_range(setting)
    taken = f"from {ends[0]:g} to {ends[1]:g}" if ends else "any number"
    if ends:
        if about["rewards"] == "binary":
            taken = f"{ends[0]:g} or {ends[1]:g}"
        others = "clipped to this range" if about["rewards"] == "clip" else "refused"
        taken += f"; others are {others}"
    when = "none: every reward comes before the next action"
    if delay:
        when = (
            f"a reward counts {delay} rounds after its own, one that has not come as "
            f"{'the lowest' if ends else 0}: whether and when it comes is covered"
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
        not_covered=(*more, *own, *NOT_COVERED, *cls.not_covered),
        person=f"one person's rewards are in {rounds}{where}; the promise is to that person",
        rewards=taken,
        delay=when,
        arms=ARMS[cls.takes_context],
        copies=COPIES[budget is not None if kept else None] + copies,
        restart=RESTART[kept] if exact else "",
    )
