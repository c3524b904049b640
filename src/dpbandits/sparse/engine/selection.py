"""Peeling's selections: s noisy maxima of |v|, one after the other, without replacement."""

import math

import numpy as np

from dpbandits.core.compiled import jit


def winners(v: np.ndarray, noise: list[np.ndarray], slack: float = 0.0, exact=None):
    """Round by round the column with the largest |v| + noise among those that did not win yet.

    v may be off by `slack`. Where that matters `exact(columns)` is asked and put into v: on return
    v is exact at the winners.
    """
    chosen, vague = [], np.full(len(v), slack > 0)
    if slack > 0:  # all at once those that would win if v were exact
        likely = winners(v, noise)
        v[likely], vague[likely] = exact(likely), False
    for w in noise:
        noisy = np.abs(v) + w
        noisy[chosen] = -np.inf
        if slack > 0:
            near = noisy >= noisy.max() - 2 * slack  # one of them is the largest
            new = np.flatnonzero(near & vague)
            if len(new):
                v[new], vague[new] = exact(new), False
                noisy[new] = np.abs(v[new]) + w[new]
            noisy[vague] = -np.inf
        chosen.append(int(np.argmax(noisy)))
    return np.array(chosen)


@jit
def winners_of_fresh_noise(rng, sizes, rounds, xi):
    """The same for |v| = `sizes`, exact, and Laplace noise that is drawn only where it can win.

    The largest sizes get their noise in full. Any other column wins only if its Laplace number
    exceeds the height from the largest of these other sizes to the leader. Each does so with the
    same probability p: the next one that does lies a geometric number of columns ahead, and exceeds
    the height by an exponential number.
    """
    d = len(sizes)
    count = min(d, rounds + math.ceil(math.sqrt(d)))
    order = np.argsort(-sizes) if count == d else np.argpartition(-sizes, count)
    top = 0.0  # of the other sizes
    for j in order[count:]:
        top = max(top, sizes[j])
    taken, chosen = np.zeros(d, np.bool_), np.empty(rounds, np.int64)
    for i in range(rounds):
        best, leader = -np.inf, -1
        for j in order[:count]:
            noisy = sizes[j] + xi * rng.laplace()
            if noisy > best and not taken[j]:
                best, leader = noisy, j
        height = (best - top) / xi if xi > 0 else -1.0
        rate = -math.log1p(-0.5 * math.exp(-height)) if height >= 0 else np.inf  # p = 1 - e^-rate
        place = count - 1.0
        while True:
            place += 1.0 + math.floor(rng.standard_exponential() / rate)
            if not place < d:
                break
            j = order[int(place)]
            above = height + rng.standard_exponential() if height >= 0 else rng.laplace()
            noisy = sizes[j] + xi * above
            if noisy > best and not taken[j]:
                best, leader = noisy, j
        taken[leader], chosen[i] = True, leader
    return chosen
