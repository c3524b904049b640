"""RIGHT. A record holds one round's rewards. Every phase starts its sums afresh, so a round
is in one phase and in one arm's sum, which it moves by at most 1; that sum gets Laplace
1 / EPSILON once. Which arms stay, and so every later action, is computed from noisy sums."""

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, b, c) for a in (0.0, 1.0) for b in (0.0, 0.5) for c in (0.0, 1.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    horizon = len(data)
    active = [0, 1, 2]
    actions = []
    length = 1
    while len(actions) < horizon:
        estimate = {}
        for arm in active:
            total = 0.0
            for _ in range(length):
                if len(actions) == horizon:
                    break
                total += data[len(actions)][arm]
                actions.append(arm)
            estimate[arm] = (total + rng.laplace(0, 1 / EPSILON)) / length
        best = max(estimate.values())
        width = 2 / length
        active = [arm for arm in active if estimate[arm] >= best - width]
        length *= 2
    return actions
