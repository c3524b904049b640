"""How sparse algorithms are simulated: contexts, rounds, rows.

What is named here is for other packages, too."""

from dpbandits.sparse.engine.episodes import CompiledSetting, play_episode, problem_of
from dpbandits.sparse.engine.leaky_linear import batch_by_batch
from dpbandits.sparse.engine.rows import (
    add_regression,
    free_columns,
    normal_row,
    normal_vectors,
    regression_on_neighbours,
    times_sigma,
    weights_of_two,
)

__all__ = [
    "CompiledSetting",
    "add_regression",
    "batch_by_batch",
    "free_columns",
    "normal_row",
    "normal_vectors",
    "play_episode",
    "problem_of",
    "regression_on_neighbours",
    "times_sigma",
    "weights_of_two",
]
