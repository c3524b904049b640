"""How sparse algorithms are simulated: contexts, N-IHT, selections, noise.

What is named here is for other packages, too."""

from dpbandits.sparse.engine.episodes import play_episode
from dpbandits.sparse.engine.fliphat import fliphat_problem, niht, streams_of
from dpbandits.sparse.engine.fliphat import simulate as fliphat_curves
from dpbandits.sparse.engine.leaky_linear import batch_by_batch

__all__ = [
    "batch_by_batch",
    "fliphat_curves",
    "fliphat_problem",
    "niht",
    "play_episode",
    "streams_of",
]
