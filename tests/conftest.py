"""Before any test imports NumPy: one thread, and the arithmetic that jobs have.

The environment that asks for it is that of a processor before AVX2, and dpbandits has to overrule
it: so whatever tests compare with golden tables and numbers is as it comes out there.
"""

import os
import sys

from processors import FARTHEST, PROCESSORS

if "numpy" not in sys.modules:  # in a fork of tests/mutation it is too late for either
    os.environ |= PROCESSORS[FARTHEST[1]]

import dpbandits  # noqa: F401
