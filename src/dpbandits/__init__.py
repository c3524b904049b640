"""dpbandits: differentially private bandits, to simulate, to use on own data, and to audit.

    import dpbandits as dp
    dp.run("lazy-dp-ts", {"means": [0.75, 0.5]}, epsilon=1, horizon=1000, seeds=range(20))
    dp.learner("lazy-dp-ts", arms=5, epsilon=1.0)
    dp.audit("rnm", scale=2, arms=2, rounds=64, adjacency="replace")

One folder per problem (`stochastic`, `sparse`, `kernel`, `offline`), `audit` for privacy losses,
`core` for what all of them share; `reproduction` judges and draws four papers with these. Importing
the package changes nothing else in the process. What the names below stand for is imported when it
is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbandits import audit as audit
    from dpbandits.audit.questions import assert_private as assert_private
    from dpbandits.audit.questions import calibrate as calibrate
    from dpbandits.audit.questions import mechanisms as mechanisms
    from dpbandits.audit.questions import policy_program as policy_program
    from dpbandits.audit.questions import recorded as recorded
    from dpbandits.core.algorithms import algorithms as algorithms
    from dpbandits.core.algorithms import run_and_warn as run
    from dpbandits.core.choose import choose as choose
    from dpbandits.core.deploy import learner as learner
    from dpbandits.core.errors import InputError as InputError
    from dpbandits.core.errors import StoreError as StoreError
    from dpbandits.core.errors import UsedUp as UsedUp
    from dpbandits.core.features import scale as scale
    from dpbandits.core.learner import Learner as Learner
    from dpbandits.core.problem import Problem as Problem
    from dpbandits.core.promise import Privacy as Privacy
    from dpbandits.core.requests import ONCE as ONCE
    from dpbandits.offline.policy import policy as policy
    from dpbandits.stochastic.rounds import Bandit as Bandit

    __all__ = ["run"]

__version__ = "0.4.11"

PUBLIC = {  # name -> where it is
    "run": "dpbandits.core.algorithms:run_and_warn",
    "learner": "dpbandits.core.deploy:learner",
    "Learner": "dpbandits.core.learner:Learner",
    "Privacy": "dpbandits.core.promise:Privacy",
    "ONCE": "dpbandits.core.requests:ONCE",  # a person, where everybody comes once
    "scale": "dpbandits.core.features:scale",
    "Bandit": "dpbandits.stochastic.rounds:Bandit",  # what an algorithm of one's own derives from
    "Problem": "dpbandits.core.problem:Problem",  # the same, for a problem of one's own
    "policy": "dpbandits.offline.policy:policy",
    "audit": "dpbandits.audit",  # the package, which can be called
    "assert_private": "dpbandits.audit.questions:assert_private",
    "policy_program": "dpbandits.audit.questions:policy_program",
    "recorded": "dpbandits.audit.questions:recorded",
    "choose": "dpbandits.core.choose:choose",
    "calibrate": "dpbandits.audit.questions:calibrate",
    "mechanisms": "dpbandits.audit.questions:mechanisms",
    "algorithms": "dpbandits.core.algorithms:algorithms",
    "InputError": "dpbandits.core.errors:InputError",
    "StoreError": "dpbandits.core.errors:StoreError",
    "UsedUp": "dpbandits.core.errors:UsedUp",
}


if not TYPE_CHECKING:  # else a type checker takes any name

    def __getattr__(name: str) -> Any:
        if name not in PUBLIC:
            raise AttributeError(f"module 'dpbandits' has no attribute '{name}'")
        module, _, attribute = PUBLIC[name].partition(":")
        imported = importlib.import_module(module)
        found = getattr(imported, attribute) if attribute else imported
        return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])
