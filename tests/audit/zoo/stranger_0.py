"""Programs that claim epsilon = 1 for one replaced 0/1 record; the first six were written before
anything was known of the auditor, the last three after the first audits. len(data) is public."""

import numpy as np

EPSILON = 1.0


def clamped_count(data, rng):
    """RIGHT. Laplace noise of scale 1; rounding and clamping come after it."""
    noisy = sum(data) + rng.laplace(0.0, 1.0 / EPSILON)
    return int(np.clip(round(noisy), 0, len(data)))


def randomized_response(data, rng):
    """RIGHT. Each record is kept with probability e/(1 + e); the mean of the answers is
    debiased."""
    keep = np.exp(EPSILON) / (1.0 + np.exp(EPSILON))
    bits = np.array(data)
    flip = rng.random(len(bits)) > keep
    answers = np.where(flip, 1 - bits, bits)
    return float((answers.mean() - (1 - keep)) / (2 * keep - 1))


def first_above(data, rng):
    """RIGHT. Sparse vector: a threshold with noise of scale 2, fresh noise of scale 4 for each
    running count, stop at the first that is above."""
    threshold = 2 + rng.laplace(scale=2.0 / EPSILON)
    count = 0
    for day, record in enumerate(data):
        count += record
        if count + rng.laplace(scale=4.0 / EPSILON) >= threshold:
            return day
    return None


def suppressed_count(data, rng):
    """BROKEN. The true count is tested: 1 always answers None, 2 never does. Infinite loss."""
    count = sum(data)
    if count < 2:
        return None
    return count + rng.laplace(0.0, 1.0 / EPSILON)


def plausible_count(data, rng):
    """BROKEN. Drawn again until it is in [0, n], which depends on the data: for n = 3, counts 2 and
    3, the loss is 1 + ln(.7484/.4751) = 1.454."""
    count = sum(data)
    while True:
        answer = count + rng.laplace(0.0, 1.0 / EPSILON)
        if 0 <= answer <= len(data):
            return answer


def first_above_one_budget(data, rng):
    """BROKEN. No noise on the threshold, scale 1 for each count, and a failed comparison is an
    answer: [0, 1, 1] against [1, 1, 1], no alarm: .3802 against .0751, loss 1.62."""
    count = 0
    for day, record in enumerate(data):
        count += record
        if count + rng.laplace(scale=1.0 / EPSILON) >= 2:
            return day
    return None


def both_counts_one_noise(data, rng):
    """BROKEN. The difference of ones and zeros has no noise. Infinite loss."""
    noise = rng.laplace(scale=2.0 / EPSILON)
    return (sum(data) + noise, len(data) - sum(data) + noise)


def both_counts_scale_one(data, rng):
    """BROKEN. A replacement changes both counts, the noise is for one: loss 2."""
    ones, zeros = np.array([sum(data), len(data) - sum(data)]) + rng.laplace(
        scale=1.0 / EPSILON, size=2
    )
    return (float(ones), float(zeros))


def two_steps(data, rng):
    """RIGHT. Half of epsilon for a count; if that is large, half for the other records. The branch
    is taken on the noisy value."""
    first = sum(data) + rng.laplace(scale=2.0 / EPSILON)
    if first > len(data) / 2:
        return (1, sum(data[1:]) + rng.laplace(scale=2.0 / EPSILON))
    return (0, first)


def best_prefix(data, rng):
    """RIGHT. Report noisy max with scale 2 over running counts; only the index is published."""
    counts = np.cumsum(data)
    return int(np.argmax(counts + rng.laplace(scale=2.0 / EPSILON, size=len(counts))))


def first_of_hidden(data, rng):
    """BROKEN. Draws until the noise is positive: an answer between two counts is impossible for the
    larger one. Infinite loss."""
    while True:
        noise = rng.laplace(scale=1.0 / EPSILON)
        if noise > 0:
            return sum(data) + noise


def randomized_response_choice(data, rng):
    """BROKEN. The truth with e/(1 + e), else a fair coin: .8655, loss ln(.8655/.1345) = 1.86."""
    keep = np.exp(EPSILON) / (1.0 + np.exp(EPSILON))
    return int(sum(x if rng.random() < keep else rng.integers(2) for x in data))
