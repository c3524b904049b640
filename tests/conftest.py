"""Before any test imports NumPy: one thread, and the arithmetic that jobs have."""

import dpbandits  # noqa: F401
