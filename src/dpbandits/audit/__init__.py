"""Exact and certified privacy losses; docs/proofs/AUDIT.md has the proofs.

computed/ has the losses of known mechanisms, sampled/ lower bounds from runs alone, replayed/ the
answers on running code, which is replayed on neighbours; questions has the functions of the API.
"""

import importlib  # by name, so that what uses a part of this package does not depend on all of it
import sys
from types import ModuleType


class _Callable(ModuleType):
    """This package is also the function `dpbandits.audit(...)` of the public API."""

    def __call__(self, *words, **keys):
        return importlib.import_module("dpbandits.audit.questions").audit(*words, **keys)


sys.modules[__name__].__class__ = _Callable
