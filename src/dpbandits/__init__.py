"""dpbandits: reproduce, table, draw and audit differentially private decision making.

One folder per paper (`stochastic`, `sparse`, `kernel`, `offline`), `audit` for exact privacy
losses, `core` for what all of them share. Importing the package is cheap and has one effect: the
numerical libraries compute alike on all processors (see `core.processor`: import `dpbandits` before
NumPy). What the names below stand for is imported when it is first used.
"""

import importlib

from dpbandits.core import processor

__version__ = "0.1.0"

processor.pin()

PUBLIC = {  # name -> where it is
    "run": "dpbandits.core.algorithms:run_and_warn",
    "learner": "dpbandits.core.learner:learner",
    "load": "dpbandits.core.learner:load",
    "policy": "dpbandits.offline.policy:policy",
    "algorithms": "dpbandits.core.algorithms:algorithms",
    "InputError": "dpbandits.core.errors:InputError",
}


def __getattr__(name: str):
    if name not in PUBLIC:
        raise AttributeError(f"module 'dpbandits' has no attribute '{name}'")
    module, _, attribute = PUBLIC[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])
