"""Exact and certified privacy losses; docs/proofs/AUDIT.md has the proofs.

Read in this order: balls (interval arithmetic), selection (who
wins a noisy argmax), then the mechanisms, each with its calibration: laplace, rnm, peeling, niht,
lazy. Lower bounds from samples alone: blackbox, and function for any Python function. Without
samples: replay runs code and replays it on neighbours, by the folder recorded.
"""

import sys
from types import ModuleType


class _Callable(ModuleType):
    """This package is also the function `dpbandits.audit(...)` of the public API."""

    def __call__(self, *words, **keys):
        from dpbandits.audit.questions import audit

        return audit(*words, **keys)


sys.modules[__name__].__class__ = _Callable
