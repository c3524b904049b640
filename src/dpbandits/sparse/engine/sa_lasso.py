"""sa-lasso with whole rows drawn of the played arms alone."""

from dpbandits.sparse import sa_lasso
from dpbandits.sparse.engine import dp_signs


def play_batch(setting, rng, estimate, n: int):
    rows, rewards, regret = dp_signs.play_rows(setting, rng, estimate, n, random=False)
    return rows.whole(), rewards, regret


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return sa_lasso.in_batches(play_batch, setting, horizon, streams, checkpoints)
