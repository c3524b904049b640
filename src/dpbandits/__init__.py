"""dpbandits: reproduce, table, draw and audit differentially private decision making.

One folder per paper (`stochastic`, `sparse`, `kernel`, `offline`), `audit` for exact privacy
losses, `core` for what all of them share. Importing the package is cheap and has two effects: it
makes the numerical libraries compute alike on all processors (see `core.processor`: import
`dpbandits` before NumPy), and points numba's on-disk cache at a folder named after the sources (see
`core.compiled`).
"""

from dpbandits.core import compiled, processor

__version__ = "0.1.0"

processor.pin()
compiled.use_cache_of_these_sources()
