"""sa-lasso with the chosen arms' rows alone drawn in full."""

from dpbandits.sparse import sa_lasso
from dpbandits.sparse.engine import dp_signs


def play(setting, rng, estimate, n: int):
    rows, rewards, regret = dp_signs.play(setting, rng, estimate, n)
    return rows.whole(), rewards, regret


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return sa_lasso.in_batches(play, setting, horizon, streams, checkpoints)
