"""dpbandits: reproduce, table, draw and audit differentially private decision making.

One folder per paper (`stochastic`, `sparse`, `kernel`, `offline`), `audit` for exact privacy
losses, `core` for what all of them share. Importing the package is cheap and has one effect: the
numerical libraries compute alike on all processors (see `core.processor`: import `dpbandits` before
NumPy).
"""

from dpbandits.core import processor

__version__ = "0.1.0"

processor.pin()
