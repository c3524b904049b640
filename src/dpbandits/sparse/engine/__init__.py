"""How FLIPHAT is simulated: contexts, N-IHT, selections, noise per preset.

What is named here is for other packages, too."""

from dpbandits.sparse.engine.episodes import play, problem_of
from dpbandits.sparse.engine.fliphat import niht, streams_of
from dpbandits.sparse.engine.leaky_linear import batch_by_batch

__all__ = ["batch_by_batch", "niht", "play", "problem_of", "streams_of"]
