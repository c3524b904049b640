"""BROKEN (no finite epsilon). Thompson sampling with exact counts is called private for its own
randomness, and logs its draws. Pair: [(0, 0), (0, 0)] and [(1, 1), (0, 0)]: the second draw of
the arm played first is Beta(1, 2) or Beta(2, 1), density ratio (1 - x) / x, without bound."""

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, b) for a in (0, 1) for b in (0, 1)]
NEIGHBOURS = "replace"


def f(data, rng):
    wins = [0, 0]
    losses = [0, 0]
    log = []
    for rewards in data:
        draws = [float(rng.beta(1 + w, 1 + n)) for w, n in zip(wins, losses, strict=True)]
        arm = draws.index(max(draws))
        wins[arm] += rewards[arm]
        losses[arm] += 1 - rewards[arm]
        log.append((arm, draws))
    return log
