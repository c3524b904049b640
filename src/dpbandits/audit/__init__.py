"""Exact and certified privacy losses; docs/proofs/AUDIT.md has the proofs.

computed/ has the losses of known mechanisms, sampled/ lower bounds from runs alone, replayed/ the
answers on running code, which is replayed on neighbours; questions has the functions of the API.
"""

import sys
from types import ModuleType


class _Callable(ModuleType):
    """This package is also the function `dpbandits.audit(...)` of the public API."""

    def __call__(self, *words, **keys):
        from dpbandits.audit.questions import audit

        return audit(*words, **keys)


sys.modules[__name__].__class__ = _Callable
