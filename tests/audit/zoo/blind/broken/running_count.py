"""BROKEN (unbounded, noise reused). One Laplace draw is shared by all times of the
stream, so differences of consecutive outputs are the raw bits. Pair: [1, 0] and
[1, 1]; event |out[1] - out[0]| < 1/2: probability 1 against 0."""

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    noise = rng.laplace(0.0, 1.0 / EPSILON)
    total = 0
    out = []
    for bit in data:
        total += int(bit)
        out.append(float(total + noise))
    return out
