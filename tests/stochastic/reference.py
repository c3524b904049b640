"""Plain simulators, round by round, as the papers write the algorithms: what engines must match.

They use the same Philox streams. Two of them can also draw an epoch's rewards at once (`lumps`):
then an engine and its reference read one tape, and are compared path by path.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import beta, binomial, laplace, uniform
from dpbandits.stochastic.engine.beta_tails import beta as quick_beta


@jit
def bernoulli(stream, p):
    return 1 if uniform(stream) < p else 0


@jit
def lazy(name, lumps, means, noise, horizon, states):
    """Anytime-Lazy-UCB (name 0) and Lazy-DP-TS (name 1): the arm of every round.

    Name 2 is Lazy-DP-TS with the engine's own Beta sampler: for benchmarks, not for tests.
    """
    runs, arms = len(states), len(means)
    played = np.zeros((runs, horizon), np.int16)
    for run in range(runs):
        stream = states[run]
        used, fresh = np.ones(arms), np.zeros(arms)
        total, mean, index = np.zeros(arms), np.zeros(arms), np.zeros(arms)
        for t in range(1, horizon + 1):
            if t <= arms:
                arm = t - 1
            else:
                log_t = math.log(t)
                for j in range(arms):
                    bonus = 3 * log_t * noise / used[j]
                    if name == 0:
                        index[j] = mean[j] + math.sqrt(3 * log_t / used[j]) + bonus
                    else:
                        m = min(max(mean[j] + bonus, 0.0), 1.0)
                        good, bad = m * used[j], (1 - m) * used[j]
                        index[j] = (
                            beta(stream, good + 1, bad + 1)
                            if name == 1
                            else quick_beta(stream, good, bad)
                        )
                arm = np.argmax(index)
            played[run, t - 1] = arm
            reward = 0 if lumps else bernoulli(stream, means[arm])
            if t <= arms:
                if lumps:
                    reward = binomial(stream, 1, means[arm])
                mean[arm] = reward + laplace(stream, noise)
                continue
            fresh[arm] += 1
            total[arm] += reward
            if fresh[arm] == 2 * used[arm]:
                used[arm] = fresh[arm]
                if lumps:
                    total[arm] = binomial(stream, np.int64(used[arm]), means[arm])
                mean[arm] = (total[arm] + laplace(stream, noise)) / used[arm]
                fresh[arm] = total[arm] = 0
    return played


@jit
def thompson(means, horizon, states):
    played = np.zeros((len(states), horizon), np.int16)
    for run in range(len(states)):
        stream = states[run]
        good, bad, theta = np.zeros(len(means)), np.zeros(len(means)), np.zeros(len(means))
        for t in range(horizon):
            for j in range(len(means)):
                theta[j] = beta(stream, good[j] + 1, bad[j] + 1)
            arm = np.argmax(theta)
            played[run, t] = arm
            reward = bernoulli(stream, means[arm])
            good[arm] += reward
            bad[arm] += 1 - reward
    return played


@jit
def kl(p, q):
    total = 0.0
    if p > 0:
        total += p * math.log(p / q) if q > 0 else math.inf
    if p < 1:
        total += (1 - p) * math.log((1 - p) / (1 - q)) if q < 1 else math.inf
    return total


@jit
def kl_bound(p, level):
    """max{q: kl(p, q) <= level} by bisection in q."""
    low, high = p, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if kl(p, middle) <= level:
            low = middle
        else:
            high = middle
    return low


@jit
def kl_logit(p, x):
    """kl(p, q), x being the logit of q; NaN at infinity."""
    value = max(x, 0.0) + math.log1p(math.exp(-abs(x))) - p * x
    if p > 0:
        value += p * math.log(p) + (1 - p) * math.log(1 - p)
    return value


@jit
def kl_logit_bound(p, level, least=-800.0):
    """The logit of `kl_bound`, by bisection in the logit: resolves what q rounds to 1.

    -inf if it is below `least`: an arm whose index is below another's need not know it.
    """
    if p >= 1:
        return math.inf
    low, high = -800.0, 1e6
    if p > 0:
        low = math.log(p / (1 - p))
    if least > low and not kl_logit(p, least) <= level:
        return -math.inf
    for _ in range(90):
        x = 0.5 * (low + high)
        if x in (low, high):  # no number is left between them
            break
        if kl_logit(p, x) <= level:
            low = x
        else:
            high = x
    return low


@jit
def ucb(klucb, means, horizon, states):
    """UCB1 and KL-UCB."""
    arms = len(means)
    played = np.zeros((len(states), horizon), np.int16)
    for run in range(len(states)):
        stream = states[run]
        total, count, index = np.zeros(arms), np.zeros(arms), np.zeros(arms)
        for t in range(1, horizon + 1):
            arm = t - 1
            if t > arms:
                best = -math.inf
                for j in range(arms):
                    level, mean = math.log(t) / count[j], total[j] / count[j]
                    if klucb:
                        index[j] = kl_logit_bound(mean, level, best)
                    else:
                        index[j] = mean + math.sqrt(2 * level)
                    best = max(best, index[j])
                arm = np.argmax(index)
            played[run, t - 1] = arm
            total[arm] += bernoulli(stream, means[arm])
            count[arm] += 1
    return played


@jit
def adap(klucb, alpha, lumps, means, noise, horizon, states):
    """AdaP-UCB and AdaP-KLUCB."""
    arms = len(means)
    played = np.zeros((len(states), horizon), np.int16)
    for run in range(len(states)):
        stream = states[run]
        count, size = np.zeros(arms, np.int64), np.ones(arms)
        mean, index = np.zeros(arms), np.zeros(arms)
        total, left, arm = 0, 0, -1
        for t in range(1, horizon + 1):
            if left == 0:
                arm, left = t - 1, 1
                if t > arms:
                    best = -math.inf
                    for j in range(arms):
                        level = alpha * math.log(t) / size[j]
                        if klucb:
                            m = min(max(mean[j] + level * noise, 0.0), 1.0)
                            index[j] = kl_logit_bound(m, level, best)
                        else:
                            wide = alpha * math.log(2 * t) / (2 * size[j])
                            index[j] = mean[j] + math.sqrt(wide) + level * noise
                        best = max(best, index[j])
                    arm = np.argmax(index)
                    left = count[arm]
                size[arm] = left
                total = binomial(stream, left, means[arm]) if lumps else 0
            played[run, t - 1] = arm
            if not lumps:
                total += bernoulli(stream, means[arm])
            count[arm] += 1
            left -= 1
            if left == 0:
                mean[arm] = (total + laplace(stream, noise)) / size[arm]
    return played


@jit
def d_eps(x, y, epsilon):
    """inf over z between x and y of eps |z - x| + kl(z, y), by ternary search (it is convex)."""
    low, high = min(x, y), max(x, y)
    while high - low > 1e-9:  # closer to the minimum, values differ by less than their rounding
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if epsilon * abs(a - x) + kl(a, y) < epsilon * abs(b - x) + kl(b, y):
            high = b
        else:
            low = a
    middle = 0.5 * (low + high)
    ends = min(kl(x, y), epsilon * abs(y - x))
    return min(ends, epsilon * abs(middle - x) + kl(middle, y))


@jit
def d_eps_bound(x, epsilon, level, least):
    """max{y: d_eps(x, y) <= level} by bisection; -inf if it is below `least`."""
    if d_eps(x, 1.0, epsilon) <= level:
        return 1.0
    low, high = x, 1.0
    if least > low and d_eps(x, least, epsilon) > level:
        return -math.inf
    for _ in range(50):
        middle = 0.5 * (low + high)
        if d_eps(x, middle, epsilon) <= level:
            low = middle
        else:
            high = middle
    return low


@jit
def phases(imed, growth, lumps, means, epsilon, horizon, states):
    """DP-KLUCB and DP-IMED."""
    arms = len(means)
    played = np.zeros((len(states), horizon), np.int16)
    for run in range(len(states)):
        stream = states[run]
        count, phase = np.zeros(arms), np.zeros(arms)
        total, mean, index = np.zeros(arms), np.zeros(arms), np.zeros(arms)
        left, arm, batch = 0, -1, 0
        for t in range(1, horizon + 1):
            if left == 0:
                arm, left = t - 1, 1
                if t > arms:
                    best = -math.inf
                    for j in range(arms):
                        if imed:
                            distance = d_eps(mean[j], mean.max(), epsilon)
                            index[j] = -(count[j] * distance + math.log(count[j]))
                        else:
                            index[j] = d_eps_bound(mean[j], epsilon, math.log(t) / count[j], best)
                        best = max(best, index[j])
                    arm = np.argmax(index)
                    m = phase[arm]
                    left = max(1, math.ceil(growth**m) - math.ceil(growth ** (m - 1)))
                phase[arm] += 1
                count[arm] += left
                batch = binomial(stream, left, means[arm]) if lumps else 0
            played[run, t - 1] = arm
            if not lumps:
                batch += bernoulli(stream, means[arm])
            left -= 1
            if left == 0:
                total[arm] += batch + laplace(stream, 1 / epsilon)
                mean[arm] = min(max(total[arm] / count[arm], 0.0), 1.0)
    return played


def variant(name, means, epsilon, horizon, states):
    """RNM-FTNL with the noises and schedules of docs/proofs/HU.md, as plain NumPy: no engine code.

    Exponential noise is played as permute-and-flip, Gumbel noise as the exponential mechanism.
    """
    rng, means = np.random.default_rng(states), np.asarray(means)
    played = np.empty((len(states), horizon), np.int16)
    for run in range(len(states)):
        start = math.e ** rng.random()
        t, epoch, arm = 0, 0, 0
        while t < horizon:
            length = math.floor(start * math.e**epoch) if name == "phase" else 2**epoch
            played[run, t : t + length] = arm
            rewards = rng.random((length, len(means))) < means
            m = rng.integers(length // 2 + 1, length + 1) if name == "prefix" else length
            weight = np.exp(epsilon / 2 * (rewards[:m].sum(0) - rewards[:m].sum(0).max()))
            if name in ("gumbel", "prefix"):
                arm = rng.choice(len(means), p=weight / weight.sum())
            else:
                order = rng.permutation(len(means))
                arm = order[np.argmax(rng.random(len(means)) < weight[order])]
            t, epoch = t + length, epoch + 1
    return played


@jit
def full_information(doubling, means, noise, horizon, states):
    """RNM-FTNL and FTNL (doubling epochs, noise of that scale), and FTL (all rounds, no noise)."""
    arms = len(means)
    played = np.zeros((len(states), horizon), np.int16)
    for run in range(len(states)):
        stream = states[run]
        total, noisy = np.zeros(arms), np.zeros(arms)
        arm, length, left = 0, 1, 1
        for t in range(horizon):
            played[run, t] = arm
            for j in range(arms):
                total[j] += bernoulli(stream, means[j])
            if not doubling:
                arm = np.argmax(total)
                continue
            left -= 1
            if left == 0:
                for j in range(arms):
                    noisy[j] = total[j] + laplace(stream, noise)
                arm = np.argmax(noisy)
                total[:] = 0
                length *= 2
                left = length
    return played


@jit
def dp_se(lumps, means, noise, horizon, states):
    """Successive elimination as BASELINES describe it, with beta = 1/T."""
    arms = len(means)
    played = np.zeros((len(states), horizon), np.int16)
    for run in range(len(states)):
        stream = states[run]
        alive = np.ones(arms, np.bool_)
        t, e = 0, 0
        while t < horizon:
            size = alive.sum()
            if size == 1:
                played[run, t] = np.argmax(alive)
                t += 1
                continue
            e += 1
            delta = 2.0**-e
            sampling = 32 * math.log(8 * size * e * e * horizon) / delta**2
            privacy = 8 * math.log(4 * size * e * e * horizon) * noise / delta
            target = max(sampling, privacy) + 1
            total = np.zeros(arms)
            r = 0
            while r < target and t < horizon:
                r += 1
                for j in range(arms):
                    if alive[j] and t < horizon:
                        played[run, t] = j
                        total[j] += 0 if lumps else bernoulli(stream, means[j])
                        t += 1
            if t == horizon:
                break
            h = math.sqrt(math.log(8 * size * e * e * horizon) / (2 * target))
            c = math.log(4 * size * e * e * horizon) * noise / target
            best = -math.inf
            for j in range(arms):
                if alive[j]:
                    if lumps:
                        total[j] = binomial(stream, r, means[j])
                    total[j] = total[j] / r + laplace(stream, noise / r)
                    best = max(best, total[j])
            for j in range(arms):
                if alive[j] and best - total[j] > 2 * h + 2 * c:
                    alive[j] = False
    return played


def pulls_of(played, arms):
    return np.array([np.bincount(row, minlength=arms) for row in played])


def regret_of(played, gaps, checkpoints):
    return np.cumsum(gaps[played], axis=1)[:, np.asarray(checkpoints) - 1]
