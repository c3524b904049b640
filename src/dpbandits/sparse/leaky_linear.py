"""leaky-linear: contexts of one's own, from about half as many people as dp-linear needs (ours).

A context x in R^d becomes z = (FIRST, Q W/max(1, |W|)), W = (v - centre)/radius, where v is x/norm,
brought to length REACH if it is longer, and a reward becomes y in [-1/2, 1/2].

The first people, a twelfth as many as in the first batch (none, if that is less than two for each
arm), get random arms, and their contexts are not used: the sum of the rewards of each arm leaves
with Laplace noise for all of epsilon, which for one number is far less than that of a batch's many.
An arm's share of the first batch grows with the probability that its mean is the largest. So arms
that are worse than others for all people cost less, if these first people are not too few
(benchmarks/README.md).

When a batch is full, noisy sums of its records leave: of zz', over all arms; of yz by arm, with the
mean apart; of the plays of each arm; and, of batches that begin late, of zz' by arm, as differences
from their mean. But for the plays they are leaky: a record enters the releases of its batch and of
later ones with weights w_0, w_1, ... whose squares add up to 1 at most, so that its whole future
costs no more than one release, and what is known grows in step with the rounds.

But for the plays a record of a batch moves a release by D times its weight at most (`sensitivity`),
and D^2/(2 sigma^2), the same for all releases, is the rho of the promise (the plays, which are in
one release alone, have the noise of the largest D); an action depends on releases and on its user's
own context alone (docs/proofs/FL.md, Section L). Sums of zz' by arm are worth their price where
people are many: late batches have them, and a larger D and sigma.

What follows a release reads no data: centre, radius and covariance of the contexts are learnt from
the released sums of zz'. The map changes only where it is far from the new centre and radius, as a
release says less of another map. The Gram matrix of each arm is what its policies would meet among
1,000 to 20,000 public contexts of that law (with all arms allowed), corrected by the sums by arm of
late batches: by the mean of a posterior of the difference (its size is estimated from the
releases), first of what neighbouring batches with the same map share, then of the rest. Each theta
is the mean of a Gaussian posterior that knows the noise (errors of Gram matrices are taken for
independent), what the first people showed and that all arms share an unknown mean, averaged over
prior variances by their evidence. The arm with the largest z'theta is played. An arm that fewer
than SELDOM/K of the people would get (of K arms) has the benefit of the doubt: its mean reward is
raised until it is the best for so many, beside the others as they were, if less than DOUBT standard
deviations are enough (by the likeliest posterior, the mean of all arms being given).

With a known horizon below FEW first batches na-imed plays in its place, which ignores contexts.

Prior art: private linear bandits by noisy Gram matrices (Shariff and Sheffet 2018), batches without
a tree (AdaC-OFUL, arXiv 2309.00557; AdaPrivate-TS, arXiv 2606.21757), factorisations of sums with
one buffer (matrix mechanisms for private learning).
"""

import math
from itertools import product

import numpy as np

from dpbandits.core import gaussian
from dpbandits.core.algorithms import algorithm, get_algorithm
from dpbandits.core.errors import InputError
from dpbandits.core.notions import JOINT
from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse.dense import DenseSetting, People, regrets, round_by_round
from dpbandits.sparse.dp_linear import Dense

FIRST = 0.35  # z's first entry
Q = math.sqrt(1 - FIRST * FIRST) * (1 - 1e-12)
OMEGA = 3, 5  # how exact the mean of the arms' moments is, beside their differences
SHARE, PLAYS = 0.125, 0.28  # of zz' over all arms; of plays
OWN, LATER = 0.2, 6  # of zz' by arm, in batches that begin after LATER first ones
# First people: rounds of the first batch over BEFORE, none if fewer than LEAST for each arm. EVEN:
# the part of the first batch that all arms share alike
BEFORE, LEAST, EVEN = 12, 2, 0.2
OPENING = 7.3  # times the root of numbers times arms, and the noise: rounds of the first batch
LEAK, GROWTH = 1.4, 1.3
REACH = 1.25  # times the norm: what is farther is brought nearer before it is mapped
SAME = 1.5, 0.5  # the map stays for radii up to this factor, centres up to so many new radii
# With less than SELDOM of an equal share of the people an arm has the benefit of the doubt, if no
# more than DOUBT standard deviations are lacking
SELDOM, DOUBT = 0.15, 1.5
UNIT = 256  # weights are whole multiples of 1/UNIT
LEAKS = np.floor(UNIT * math.sqrt(1 - LEAK**-2) * LEAK ** -np.arange(12.0))
GRID, MOST = 2.0**-16, 2**26  # of sums; arms x rounds of a batch: their sums are exact
# Gram matrices are simulated with PUBLIC contexts at least; at most with MANY[0], and with fewer
# where these would have more than MANY[1] numbers
PUBLIC, MANY = 1000, (20_000, 2**21)
ONE, ENTRY = np.ones(1), np.full(1, FIRST)  # a play; the first entry of z
NEAR = 4  # batches: so fast fades what a batch says of the Gram matrices of others
# Squared length that a theta is taken to have: what errors of Gram matrices add to moments' noise
SQUARE = 0.3
FEW = 4  # first batches: with fewer rounds contexts are not worth a random one
# Of the prior: variance of an arm's mean reward over contexts; standard deviations of the arms'
# rewards from their mean, and of that mean from 1/2
PRIORS, OFFSETS, MEAN = (0.003, 0.01, 0.03, 0.1, 0.25), (0.03, 0.1, 0.3), 0.3


def weights_of(arms: int) -> tuple[float, float]:
    """The weights of zz' over all arms and, in late batches, by arm; squared, what they cost."""
    code = 1 - 1 / arms + (OMEGA[0] / OMEGA[1]) ** 2 / arms
    return math.sqrt(SHARE * code), math.sqrt(OWN * code)


def sensitivity(arms: int, late: int) -> float:
    """D: the largest distance of two records, by the vertex of a parabola in z'z of both; the same
    arm in both, or another."""
    omega, (s, m) = OMEGA[0] / OMEGA[1], (x * x for x in weights_of(arms))
    m *= late  # else nothing leaves by arm
    code = 1 - 1 / arms + omega**2 / arms
    gram, moment = 2 * (s + m * (1 - 1 / arms)), code / 2
    c = min(1.0, moment / (2 * gram))
    same = gram * (1 - c * c) + moment * (1 + c)
    bend, slope = 2 * s - 2 * m / arms, (1 - omega**2) / (2 * arms)
    c = slope / (2 * bend) if slope < 2 * bend else 1.0
    other = gram + 2 * PLAYS**2 + code / 2 - bend * c * c + slope * c
    return math.sqrt(max(same, other)) * (1 + 1e-12)


def symmetric(matrices):
    return (matrices + matrices.swapaxes(-1, -2)) / 2


class LeakyLinear(Dense):
    name, need = "leaky-linear", 65
    state = (
        "sums", "polled", "shares", "recent", "releases", "since", "centre", "radius", "n", "t",
        "acted", "length",
    )  # fmt: skip
    logs = ("recent", "releases", "since")
    grid, adds_rho = GRID, False
    not_covered = (
        "contexts longer than 1.25 norm= are shortened to it",
        "norm=, and the scale of features, chosen by looking at the data: they must be public",
    )
    environment = People
    audited = {"horizon": 13, "arms": 2, "d": 1, "delta": 0.01, "epsilon": 10, "tries": 60}

    @classmethod
    def from_user(cls, setting, horizon=None, **options):
        if options.get("shared"):
            raise InputError("learner: shared: leaky-linear has one context for all arms")
        return super().from_user(setting, horizon, **options)

    def start(self):
        own, p = self.setting, self.setting.d + 1
        self.norm = own.norm or 0.7 * math.sqrt(own.d)
        self.row, self.column = np.triu_indices(p)
        self.unit = np.where(self.row == self.column, 1.0, math.sqrt(2))  # keeps Frobenius norms
        size, rho = len(self.row) + p, gaussian.largest_rho(self.epsilon, own.delta)
        rounding = 2 * math.sqrt(size) * GRID
        self.least = 1 / math.sqrt(2 * rho) if rho < math.inf else 1e-9  # noise at sensitivity 1
        moves = (sensitivity(own.arms, late) + rounding for late in (0, 1))
        self.scales = np.array([gaussian.scale_for(x, rho, GRID) or self.least for x in moves])
        self.sums = np.zeros((own.arms, size + 1))  # products, moments, plays
        self.recent = []  # the sums of the last batches
        self.theta, self.centre, self.radius = np.zeros((own.arms, p)), np.zeros(own.d), 1.0
        self.releases, self.since = [], []  # released; where each policy but the first begins
        self.n, self.t, self.acted = 0, 0, 0
        first = max(4 * own.arms, math.ceil(OPENING * math.sqrt(own.arms * p) * self.least))
        self.first = min(first, MOST // own.arms)
        self.polled = np.zeros((2, own.arms))  # the first people's plays and noisy sums of y
        self.shares = np.full(own.arms, 1 / own.arms)  # of arms in the first batch
        self.length = math.ceil(self.first / BEFORE)
        if self.length < LEAST * own.arms:  # no first people
            self.length, self.episode, self.since = self.first, 1, [0]

    @property
    def least_rounds(self):
        """With fewer, if that is known, na-imed plays."""
        return FEW * self.first

    @property
    def instead(self):
        few = self.horizon is not None and self.horizon < self.least_rounds
        return "na-imed" if few else ""

    @property
    def advice(self):
        if not self.instead:
            return super().advice
        return (
            f"{self.name}: {self.horizon} rounds are below {FEW} first batches of {self.first}: "
            f"{self.instead} plays, which ignores contexts; without horizon= they are used"
        )

    def act(self, x, allowed=None):
        self.acted += 1
        return super().act(x, allowed)

    def features(self, x):
        """z, of norm 1 at most, of the rows of x, or of one person, which `mapped` is slow for."""
        if x.ndim > 1:
            return mapped(x / self.norm, self.centre, self.radius)
        size = math.hypot(*x.tolist())  # a context whose length is endless counts as 0
        W = x * (REACH / max(REACH * self.norm, size)) - self.centre
        return np.concatenate((ENTRY, W * (Q / max(self.radius, math.sqrt(W @ W)))))

    def index(self, x):
        """z'theta of each arm; in the first batch random, so that each arm has its share."""
        if not self.releases:
            return np.log(self.shares) + self.rng.gumbel(size=(*x.shape[:-1], self.K))
        return self.features(x) @ self.theta.T

    def chance(self, a, allowed):
        if self.releases:
            return 1.0
        return self.shares[a] / self.shares[slice(None) if allowed is None else allowed].sum()

    def summed(self, rows, y):
        """The sums of the records of one arm (rows: z of each)."""
        products = self.unit * (rows.T @ rows)[self.row, self.column]
        return np.concatenate((products, y @ rows, [len(rows)]))

    def update(self, a, r, x):
        z, y = self.features(x), min(max(r, 0.0), 1.0) - 0.5
        products = z.take(self.row)
        products *= z.take(self.column)
        products *= self.unit
        record = np.concatenate((products, y * z, ONE))
        record /= GRID
        np.rint(record, out=record)
        record *= GRID
        self.sums[a] += record
        self.n += 1
        if self.n == self.length:
            self.release()

    def late(self, t):
        """Whether a batch that begins after t rounds is a late one. What changes `scales` or
        `first` has to rename something in `state`, so that no store goes on with both."""
        return np.int64(t >= LATER * self.first)

    def release(self):
        if self.episode:
            self.end_batch()
        else:
            self.begin()

    def begin(self):
        """After the first people: of each arm the plays, which depend on nothing private, and the
        sum of y FIRST with noise; and from them the shares of the first batch."""
        moves = FIRST + GRID  # one record, rounding included
        sums = self.noise.laplace(
            self.sums[:, len(self.row)], moves / self.epsilon, sensitivity=moves, name="first sums"
        )
        self.polled = np.stack((self.sums[:, -1], sums / FIRST))
        exact, mean = self.means()
        left = 1 / (exact + MEAN**-2)
        drawn = np.random.default_rng(5).standard_normal((1000, self.K))
        best = (left * exact * mean + np.sqrt(left) * drawn).argmax(axis=1)
        likely = np.bincount(best, minlength=self.K) / len(drawn)
        self.shares = EVEN / self.K + (1 - EVEN) * likely
        self.acted, self.episode = self.acted - self.n, 1  # from now on, of those in batches
        self.since.append(self.acted)
        self.n, self.length = 0, self.first
        self.sums = np.zeros_like(self.sums)

    def means(self):
        """(precision, mean of y) of each arm among the first people."""
        plays, sums = self.polled
        variance = plays / 4 + 2 * (1 / self.epsilon) ** 2  # of the sum, at most
        return plays**2 / np.maximum(variance, 1e-9), sums / np.maximum(plays, 1)

    def end_batch(self):
        K, k, (top, bottom), late = self.K, len(self.row), OMEGA, self.late(self.t)
        s, m = weights_of(K)
        batches = [self.sums, *self.recent[: len(LEAKS) - 1]]
        leaky = sum(w * batch for w, batch in zip(LEAKS, batches, strict=False))
        gram, leaky, plays = leaky[:, :k], leaky[:, k:-1], self.sums[:, -1]
        whole = gram.sum(axis=0)

        def noisy(sums, size, name, kind=late):
            """With noise; `sums` are `size` times what `sensitivity` is of."""
            moves = sensitivity(K, kind) * size
            return self.noise.gaussian(sums, self.scales[kind] * size, sensitivity=moves, name=name)

        shared = noisy(whole, UNIT / s, "all arms") / UNIT
        own = np.zeros_like(gram)
        if late:
            own = noisy(K * gram - whole, K * UNIT / m, "by arm") / (K * UNIT)
        counts = noisy(plays, 1 / PLAYS, "plays", kind=1)  # the larger noise, in early batches too
        size = bottom * K * UNIT
        coded = bottom * K * leaky - (bottom - top) * leaky.sum(axis=0)
        coded = noisy(coded, size, "moments") / size
        moments = coded + (bottom / top - 1) * coded.mean(axis=0)
        own += shared / K - own.mean(axis=0)
        counts = np.clip(counts - counts.mean() + self.n / K, 1, self.n)
        batch = [self.n], [self.radius], self.centre, shared, own, counts, moments, self.theta
        self.releases.append(np.concatenate([np.ravel(part) for part in batch]))
        self.since.append(self.acted)
        self.recent = batches
        self.t, self.episode = self.t + self.n, self.episode + 1
        self.n, self.length = 0, min(math.ceil((GROWTH - 1) * self.t), MOST // K)
        self.sums = np.zeros_like(self.sums)
        learn(self)

    def released(self):
        """(rounds, radius, centre, zz' of all arms, of each arm, plays, moments, theta that was
        played) of all batches, as arrays."""
        K, d, k = self.K, self.setting.d, len(self.row)
        p, table = d + 1, np.array(self.releases)
        ends = np.cumsum([1, 1, d, k, K * k, K, K * p])
        n, r, c, S, G, N, L, theta = np.split(table, ends, axis=1)
        grams = np.zeros((len(table), K + 1, p, p))
        both = np.concatenate((S, G), axis=1).reshape(-1, K + 1, k) / self.unit
        grams[:, :, self.row, self.column] = grams[:, :, self.column, self.row] = both
        shape = -1, K, p
        return (
            n[:, 0], r[:, 0], c, grams[:, 0], grams[:, 1:], N, L.reshape(shape),
            theta.reshape(shape),
        )  # fmt: skip

    def policies(self, rounds):
        """Batch j, policy q: the share of the batch that acted under q: arms at random, by their
        shares, or by the theta of batch q - 1. With late rewards those who come first in a batch
        acted before the release that began it."""
        ends = np.cumsum(rounds)
        cut = np.clip([0, *self.since, np.inf], (ends - rounds)[:, None], ends[:, None])
        return np.diff(cut, axis=1) / rounds[:, None]


def mapped(v, centre, radius):
    """z of contexts, the rows of v, that were divided by the norm."""
    z = np.empty((len(v), v.shape[1] + 1))
    z[:, 0], W = FIRST, z[:, 1:]
    far = np.sqrt(np.einsum("ij,ij->i", v, v))[:, None]
    np.multiply(v, REACH / np.maximum(REACH, far), out=W)
    W -= centre
    W /= radius
    W *= Q / np.sqrt(np.maximum(1, np.einsum("ij,ij->i", W, W)))[:, None]
    return z


def law_of_contexts(released, noise):
    """(mean, square root of the covariance, radius): the released sums, weighted by their
    exactness; the mean shrunk to 0, the covariance to a multiple of the identity."""
    n, r, c, S = released[:4]
    d = c.shape[1]
    # rounds, and rounds over their map's radius and over its square
    rounds, once, twice = leaked(n), leaked(n / r)[:, None], leaked(n / r**2)
    exact = 2 * (once[:, 0] * FIRST * Q / noise) ** 2
    mean = exact @ ((S[:, 0, 1:] / (FIRST * Q) + leaked(c * (n / r)[:, None])) / once) / exact.sum()
    mean = mean * max(0.0, 1 - d / exact.sum() / max(mean @ mean, 1e-12))
    e = (mean - c) / r[:, None]
    X = S[:, 1:, 1:] / Q**2 - leaked(n[:, None, None] * e[:, :, None] * e[:, None])
    X /= twice[:, None, None]
    sd, square = noise / Q**2 / twice, rounds / twice  # of an entry; a mean of squared radii
    traces = np.clip(np.trace(X, axis1=1, axis2=2), 0, square)
    trust = (sd * math.sqrt(d) + 0.02 * square) ** -2
    # prior: 0.85, which is radius 1, with standard deviation 1; so noise alone does not say 0
    trace = (trust @ traces + 0.85) / (trust.sum() + 1)
    C = np.tensordot(sd**-2, X, 1) / (sd**-2).sum()
    whole = np.trace(C)
    values, vectors = np.linalg.eigh(symmetric(C * (trace / whole if whole > 0.2 * trace else 1)))
    variance = (d + 1) / 2 / (sd**-2).sum()
    spread = max(((values - trace / d) ** 2).mean() - variance, 0)
    kept = spread / (spread + variance)
    values = np.maximum(kept * values + (1 - kept) * trace / d, 0.02 * trace / d)
    values *= trace / values.sum()
    return mean, (vectors * np.sqrt(values)) @ vectors.T, max(math.sqrt(trace / 0.85), 0.02)


def leaked(parts, power=1):
    """The sums over batches with the weights of each release; the first axis is the batch."""
    weights = (LEAKS / UNIT) ** power
    out = np.zeros_like(parts)
    for lag, weight in enumerate(weights[: len(parts)]):
        out[lag:] += weight * parts[: len(parts) - lag]
    return out


def simulated(learner, released, v, now, rows_of):
    """(Gram matrix of each release and arm between its map and the new one; the variance of its
    moments): what its policies meet among the contexts v, with all arms allowed, corrected by what
    the releases of late batches say of the difference, whose error counts as noise of the moments.
    """
    n, r, c, _, G, N, _, theta = released
    K, p, late = learner.K, learner.setting.d + 1, learner.late(np.cumsum(n) - n)
    H, own = np.zeros((2, len(n), K, p, p))
    lift, basis, acted = np.zeros((len(n), p, p)), {}, learner.policies(n)
    maps, of = np.unique(np.column_stack((r, c)), axis=0, return_inverse=True)
    of = of.ravel()  # a column in NumPy 2.0
    moved = (maps != [learner.radius, *learner.centre]).any(axis=1)
    views = [mapped(v, m[1:], m[0]) if new else now for m, new in zip(maps, moved, strict=True)]
    for j, rows in enumerate(rows_of):
        z = views[of[j]][:rows]
        both = np.concatenate((z, now[:rows]), axis=1) if moved[of[j]] else z
        whole = z.T @ both
        if late[j]:
            lift[j] = np.linalg.solve(whole[:, :p] / rows + 1e-4 * np.eye(p), whole[:, -p:] / rows)
            values, vectors = np.linalg.eigh(whole[:, :p] / rows)
            basis[j] = np.maximum(values, 0), vectors
        played = np.tile(acted[j, 0] / K + acted[j, 1] * learner.shares, (rows, 1))
        for q in np.flatnonzero(acted[j, 2:]) + 1:
            best = np.argmax(views[of[q]][:rows] @ theta[q].T, axis=1)
            played[np.arange(rows), best] += acted[j, q + 1]
        for a, mass in enumerate(played.T):
            sums, total = whole, mass.sum()
            if total < 20 or mass.min() == mass.max():  # hardly played, or a random batch
                total = rows
            else:
                here = np.flatnonzero(mass)
                sums = (z[here] * mass[here, None]).T @ both[here]
            sums = sums * (N[j, a] / total)
            own[j, a], H[j, a] = sums[:, :p], sums[:, -p:]
    H, V, N, more = leaked(H), leaked(own / 4, 2), leaked(N), G - leaked(own)
    s, m = weights_of(K)
    noise = ((1 - 1 / K) / m**2 + 1 / (K * s) ** 2) * learner.scales[late] ** 2 / 2
    for j, a in product(np.flatnonzero(late), range(K)):
        near = late & (r == r[j]) & (c == c[j]).all(axis=1)  # their map is the same
        weight = near * np.exp(-abs(np.arange(len(n)) - j) / NEAR) * N[:, a] / noise
        exact = weight @ N[:, a]
        shared = np.tensordot(weight, more[:, a], 1) / exact
        each, error = above_noise(shared, weight**2 @ noise / exact**2, *basis[j])
        own, unsure = above_noise(more[j, a] - N[j, a] * each, noise[j], *basis[j])
        H[j, a] += (N[j, a] * each + own) @ lift[j]
        V[j, a] += SQUARE * (N[j, a] ** 2 * error + unsure) * np.eye(p)
    return H, V


def above_noise(E, variance, values, vectors):
    """Mean, and mean variance of an entry off the diagonal, of the posterior of a symmetric matrix:
    noise has this variance off the diagonal and twice that on it; between two eigenvectors of zz'
    the matrix has a variance in proportion to the product of their eigenvalues, of the size that is
    seen, which is taken for exact."""
    E, prior = vectors.T @ E @ vectors, np.outer(values, values)
    unit = 1 + np.eye(len(E))
    seen = (prior * (E * E - variance * unit)).sum() / (prior * prior * unit).sum()
    prior *= max(seen, 0)
    share = prior / (prior + variance)
    return vectors @ (share * E) @ vectors.T, variance * share.mean()


def learn(learner):
    """Set the map and theta of the next batch, from what has been released."""
    released = learner.released()
    n, L, K, p = released[0], released[6], learner.K, learner.setting.d + 1
    s, sigma = weights_of(K)[0], learner.scales[learner.late(np.cumsum(n) - n)]
    eye = np.eye(p)
    centre, root, radius = law_of_contexts(released, sigma / s)
    moved = np.linalg.norm(centre - learner.centre)
    if abs(math.log(radius / learner.radius)) > math.log(SAME[0]) or moved > SAME[1] * radius:
        learner.centre, learner.radius = centre, radius
    rows = np.clip(n, PUBLIC, max(PUBLIC, min(MANY[0], MANY[1] // (p - 1)))).astype(int)
    v = np.random.default_rng(5).standard_normal((rows.max(), p - 1)) @ root + centre
    now = mapped(v, learner.centre, learner.radius)
    spread = (now[:, 1:] ** 2).sum(axis=1).mean()
    plays = leaked(n) / sigma
    noise = K * (OMEGA[1] / OMEGA[0] / FIRST / MEAN) ** 2
    total = plays / sigma @ L[:, :, 0].sum(axis=1) / FIRST
    mean = np.clip(total / (plays @ plays + noise), -0.5, 0.5)
    H, V = simulated(learner, released, v, now, rows)
    exact, seen = learner.means()
    middle = now.mean(axis=0)
    V += sigma[:, None, None, None] ** 2 * eye
    counted = leaked(np.ones(len(n)), 2) * learner.scales[1] ** 2
    V[:, :, 0, 0] += counted[:, None] * (FIRST * mean / PLAYS) ** 2
    solved = np.linalg.solve(V, H).swapaxes(2, 3)
    P = symmetric((solved @ H).sum(axis=0)) + exact[:, None, None] * np.outer(middle, middle)
    h = (solved @ L[..., None]).sum(axis=0) + (exact * seen)[:, None, None] * middle[:, None]
    both = np.concatenate((h, np.broadcast_to(eye[:, :1], h.shape)), axis=2)
    common, found = (MEAN / FIRST) ** 2, []
    for variance, offset in product(PRIORS, OFFSETS):
        prior = np.full(p, variance / spread)
        prior[0] = single = (offset / FIRST) ** 2
        A = P + np.diag(1 / prior)
        each, effect = np.moveaxis(np.linalg.solve(A, both), 2, 0)
        tie = common / single / (single + K * common)  # of two arms' first entries in the precision
        left = 1 - tie * effect[:, 0].sum()
        theta = each + tie * each[:, 0].sum() / left * effect
        logs = np.linalg.slogdet(A)[1].sum() + K * np.log(prior).sum()
        evidence = (h[..., 0] * theta).sum() - logs - math.log(left * (1 + K * common / single))
        found.append((evidence, theta, A))
    logs, thetas, precisions = zip(*found, strict=True)
    likely = np.exp((np.array(logs) - max(logs)) / 2)  # `evidence` is twice a logarithm
    learner.theta = np.tensordot(likely / likely.sum(), np.array(thetas), 1)
    precision = precisions[np.argmax(likely)]
    learner.theta[:, 0] += doubt(learner.theta, precision, now) / FIRST


def doubt(theta, precision, z):
    """What is added to each arm's mean reward to make it, beside the others as they are, the best
    for SELDOM of an equal share of the people z; nothing where it is, or where more than
    DOUBT standard deviations are lacking. Several arms that are raised share people."""
    scores, middle = z @ theta.T, z.mean(axis=0)[:, None]
    error = np.sqrt((middle * np.linalg.solve(precision, middle)).sum(axis=(1, 2)))
    second, first = np.partition(scores, -2, axis=1)[:, -2:].T[..., None]
    others = np.where(scores == first, second, first)  # the best of the others
    lacks = np.quantile(others - scores, SELDOM / len(theta), axis=0)
    return np.where((lacks > 0) & (lacks < DOUBT * error), lacks + 1e-9, 0.0)  # more than a tie


def trajectories(driver, setting, epsilon, horizon, streams, checkpoints):
    """By `driver(learner, instance, horizon)`, the regret of each round."""

    def started(rng):
        return LeakyLinear(setting.public, epsilon, SimulatedNoise(rng), rng, horizon)

    if instead := started(None).instead:
        simulate = get_algorithm(f"dense-{instead}").simulate  # few rounds: nothing is compiled
        return simulate(setting, epsilon, horizon, streams, checkpoints)

    def play(instance, horizon):
        return driver(started(instance.rng), instance, horizon)

    return regrets(setting, horizon, streams, checkpoints, play)


@algorithm(
    "leaky-linear",
    setting=DenseSetting,
    source="dpbandits",
    claim="assumed: proved in docs/proofs/FL.md, Theorem L1",
    notion=JOINT,
    learner=LeakyLinear,
    uses=("dense-na-imed",),
)
def simulate(*arguments):
    return trajectories(round_by_round, *arguments)
