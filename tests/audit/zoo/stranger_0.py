"""Six small programs that claim epsilon = 1 for the replacement of one 0/1 record.

Written before reading anything about how the auditor works. len(data) is public.
"""

import numpy as np

EPSILON = 1.0


def clamped_count(data, rng):
    # RIGHT. A replaced record moves the count by at most 1, Laplace noise of scale 1/epsilon;
    # rounding and clamping come after the noise and are post-processing. Exactly epsilon 1 on
    # an unclamped count; at most 1 after it.
    noisy = sum(data) + rng.laplace(0.0, 1.0 / EPSILON)
    return int(np.clip(round(noisy), 0, len(data)))


def randomized_response(data, rng):
    # RIGHT. Every record is kept with probability e/(1+e) and flipped otherwise, on its own;
    # the debiased mean of the answers is post-processing. At most epsilon 1.
    keep = np.exp(EPSILON) / (1.0 + np.exp(EPSILON))
    bits = np.array(data)
    flip = rng.random(len(bits)) > keep
    answers = np.where(flip, 1 - bits, bits)
    return float((answers.mean() - (1 - keep)) / (2 * keep - 1))


def first_above(data, rng):
    # RIGHT. The sparse vector technique: one noisy threshold (scale 2/epsilon), fresh noise of
    # scale 4/epsilon for every running count, stop at the first that is above. Epsilon 1
    # however many comparisons there are (Dwork & Roth, AboveThreshold; replacement moves every
    # running count by at most 1).
    threshold = 2 + rng.laplace(scale=2.0 / EPSILON)
    count = 0
    for day, record in enumerate(data):
        count += record
        if count + rng.laplace(scale=4.0 / EPSILON) >= threshold:
            return day
    return None


def suppressed_count(data, rng):
    # BROKEN. "Small cells are suppressed, as the statistics office does": the test looks at the
    # true count, not at the noisy one. Count 1 always answers None, count 2 never does: infinite
    # loss between [0, 1, 1] and [0, 1, 0].
    count = sum(data)
    if count < 2:
        return None
    return count + rng.laplace(0.0, 1.0 / EPSILON)


def plausible_count(data, rng):
    # BROKEN. Draws again until the answer lies in [0, n], "so that users never see an impossible
    # count". The probability of being accepted depends on the data: for n = 3, counts 2 and 3,
    # the loss is 1 + ln(0.7484/0.4751) = 1.454.
    count = sum(data)
    while True:
        answer = count + rng.laplace(0.0, 1.0 / EPSILON)
        if 0 <= answer <= len(data):
            return answer


def first_above_one_budget(data, rng):
    # BROKEN. "Only one index is published, so one epsilon is spent": no noise on the threshold,
    # noise of scale 1/epsilon for every running count. Every failed comparison is an answer too.
    # [0, 1, 1] against [1, 1, 1], no alarm: 0.3802 against 0.0751, loss 1.62.
    count = 0
    for day, record in enumerate(data):
        count += record
        if count + rng.laplace(scale=1.0 / EPSILON) >= 2:
            return day
    return None


# Extras, written at the same time.


def both_counts_one_noise(data, rng):
    # BROKEN (extra). Ones and zeros with the same noise "so that they stay consistent": their
    # difference has no noise at all. Infinite loss.
    noise = rng.laplace(scale=2.0 / EPSILON)
    return (sum(data) + noise, len(data) - sum(data) + noise)


def both_counts_scale_one(data, rng):
    # BROKEN (extra). Ones and zeros with own noise of scale 1/epsilon, as for adding a record;
    # replacing one changes both counts: loss 2.
    ones, zeros = np.array([sum(data), len(data) - sum(data)]) + rng.laplace(
        scale=1.0 / EPSILON, size=2
    )
    return (float(ones), float(zeros))


def two_steps(data, rng):
    # RIGHT (extra). Half of epsilon for a noisy count; if that is large, the other half for the
    # records after the first. The branch is taken on the noisy value.
    first = sum(data) + rng.laplace(scale=2.0 / EPSILON)
    if first > len(data) / 2:
        return (1, sum(data[1:]) + rng.laplace(scale=2.0 / EPSILON))
    return (0, first)


# Extras, written after the first audits.


def best_prefix(data, rng):
    # RIGHT (extra 2). Report noisy max over running counts with noise of scale 2/epsilon, only the
    # index is published: epsilon 1 however many counts there are (Dwork & Roth, Section 3.3).
    counts = np.cumsum(data)
    return int(np.argmax(counts + rng.laplace(scale=2.0 / EPSILON, size=len(counts))))


def first_of_hidden(data, rng):
    # RIGHT (extra 2). Retries until the noise, not the answer, is positive. The test does not
    # look at the data: the same as count + an exponential variable... which is NOT private:
    # BROKEN. Infinite loss: an answer between two counts is impossible for the larger one.
    while True:
        noise = rng.laplace(scale=1.0 / EPSILON)
        if noise > 0:
            return sum(data) + noise


def randomized_response_choice(data, rng):
    # BROKEN (extra 2). Randomized response with p = e/(1+e) confused with "truth with probability
    # e/(1+e), else a fair coin": the truth has 0.8655, loss ln(0.8655/0.1345) = 1.86.
    keep = np.exp(EPSILON) / (1.0 + np.exp(EPSILON))
    return int(sum(x if rng.random() < keep else rng.integers(2) for x in data))


RIGHT = ("clamped_count", "randomized_response", "first_above", "two_steps", "best_prefix")
BROKEN = ("suppressed_count", "plausible_count", "first_above_one_budget", "both_counts_one_noise",
          "both_counts_scale_one", "first_of_hidden", "randomized_response_choice")  # fmt: skip
LABELS = dict.fromkeys(RIGHT, "right") | dict.fromkeys(BROKEN, "broken")
