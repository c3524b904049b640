"""leaky-linear: what a record moves, in its batch and ever after (docs/proofs/FL.md, part L); its
estimate for late rewards, exact noise, and regret beside dp-linear."""

import itertools
import math
import warnings

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.core.errors import InputError
from dpbandits.core.gaussian import delta_of, largest_rho
from dpbandits.core.maximise import maximise
from dpbandits.core.port import ExactNoise, SimulatedNoise
from dpbandits.sparse import leaky_linear
from dpbandits.sparse.dense import DenseSetting, Instance
from dpbandits.sparse.dp_linear import DpLinear, LinearProblem
from dpbandits.sparse.engine.leaky_linear import batch_by_batch
from dpbandits.sparse.leaky_linear import LEAKS, UNIT, LeakyLinear, sensitivity

RHO = largest_rho(1.0, 0.001)


def learner(noise=None, epsilon=1.0, **problem):
    own = LinearProblem(**{"arms": 2, "d": 2, "delta": 0.001} | problem)
    rng = np.random.default_rng(0)
    return LeakyLinear(own, epsilon, noise or SimulatedNoise(rng), rng)


def after_the_first_people(noise=None, epsilon=1.0, **problem):
    """A learner at the start of its first batch."""
    own = learner(noise, epsilon, **problem)
    if not own.episode:
        own.n = own.length
        own.release()
    return own


class Kept:
    """A port that keeps (value, scale) of all that leaves; `replies`: what it answers, in turn."""

    def __init__(self, replies=None):
        self.values, self.replies = [], replies
        self.rng = np.random.default_rng(7)

    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        self.values.append((np.copy(value), scale))
        if self.replies is not None:
            return self.replies[len(self.values) - 1]
        return value + self.rng.normal(scale=scale, size=np.shape(value))

    laplace = gaussian  # only the first value of a run has Laplace noise


def shift(one: Kept, other: Kept) -> float:
    """The length of the shift of all releases, in standard deviations."""
    pairs = zip(one.values, other.values, strict=True)
    return math.sqrt(sum((((v - w) / scale) ** 2).sum() for (v, scale), (w, _) in pairs))


def test_weights_of_a_record_cost_no_more_than_one_release():
    assert 0.98 < (LEAKS**2).sum() / UNIT**2 <= 1


def parabolas(K, late):
    """The largest distances of two records: of one arm, and of two."""
    w, c = 0.6, np.linspace(0, 1, 100_001)
    b = 1 - 1 / K + w * w / K
    s, m = 0.125 * b, 0.2 * late * b
    same = 2 * (s + m * (1 - 1 / K)) * (1 - c**2) + b * (1 + c) / 2
    other = 2 * s * (1 - c**2) + 2 * m * (1 - 1 / K) + 2 * m * c**2 / K + 2 * 0.28**2
    other += b / 2 + c * (1 - w * w) / (2 * K)
    return math.sqrt(same.max()), math.sqrt(other.max())


@pytest.mark.parametrize("late", [0, 1])
@pytest.mark.parametrize("K", [2, 3, 5, 10])
def test_bound_is_at_least_both_parabolas_everywhere(K, late):
    assert max(parabolas(K, late)) <= sensitivity(K, late) <= max(parabolas(K, late)) + 1e-8


@pytest.mark.parametrize("late", [0, 1])
@pytest.mark.parametrize(
    ("K", "arms"), [(2, (0, 0)), (2, (0, 1)), (3, (0, 0)), (3, (0, 1)), (5, (0, 0))]
)
def test_two_records_are_as_far_apart_as_the_noise_is_made_for_and_no_further(K, arms, late):
    """The release of a batch of one round, found by a search, its weights brought to length 1 (the
    replay below adds up those of later releases)."""
    d = 3
    scales = learner(arms=K, d=d).scales

    def released(arm, x, reward):
        port = Kept()
        own = after_the_first_people(port, arms=K, d=d)
        port.values.clear()
        own.n, own.length, own.t = 0, 1, 10**6 * late
        leaky_linear_learn, leaky_linear.learn = leaky_linear.learn, lambda own: None
        try:
            own.update(arm, reward, 5 * own.norm * x)
        finally:
            leaky_linear.learn = leaky_linear_learn
        return port

    def apart(row):
        x, (r, q) = np.split(row, [2 * d])
        first, other = released(arms[0], x[:d], float(r)), released(arms[1], x[d:], float(q))
        *grams, plays, moments = (
            (((v - w) / scale) ** 2).sum()
            for (v, scale), (w, _) in zip(first.values, other.values, strict=True)
        )
        leaky = (sum(grams) + moments) * UNIT**2 / LEAKS[0] ** 2  # with weights of length 1
        plays *= (scales[1] / scales[late]) ** 2  # which have the noise of late batches always
        return math.sqrt((leaky + plays) / (2 * RHO))

    def value(rows):
        return np.array([apart(row) for row in rows])

    found = maximise(value, 2 * d + 2, 3_000, np.random.default_rng(1), parents=20, children=10)
    most = parabolas(K, late)[arms[0] != arms[1]] / sensitivity(K, late)
    assert most - 0.001 < found.value <= most


@pytest.mark.parametrize("delay", [0, 5])
def test_replay_of_a_whole_run_on_a_neighbour_moves_all_releases_by_less_than_rho(delay):
    """The neighbour's run gets the releases of the first one, so that all others act alike. The
    last batches are late ones."""
    rng, d, rounds = np.random.default_rng(3), 2, 1_500
    contexts, rewards = rng.standard_normal((rounds, d)), rng.random(rounds)

    def run(port, changed=None):
        own = learner(port, d=d, arms=2)
        own.rng, waiting = np.random.default_rng(1), []
        for t in range(rounds):
            x, reward = contexts[t], rewards[t]
            if t == changed:
                x, reward = -4 * x, 1 - round(reward)
            waiting.append((own.act(x), reward, x))
            if len(waiting) > delay:
                own.update(*waiting.pop(0))
        return own

    first = Kept()
    replies, original = [], first.gaussian

    def kept(value, scale, **about):
        replies.append(original(value, scale, **about))
        return replies[-1]

    first.gaussian = first.laplace = kept
    end = run(first)
    assert end.late(end.t - int(end.releases[-1][0]))
    before, shifts = int(end.polled[0].sum()), []
    for changed in (0, before - 1, before, 60, 61, 200, 500, 900, 1_200):
        other = Kept(replies)
        run(other, changed)
        (value, scale), (moved, _) = first.values[0], other.values[0]
        pure = np.abs(value - moved).sum() / scale  # of Laplace noise
        first.values, other.values = first.values[1:], other.values[1:]
        if changed < before:
            assert 0.5 < pure <= 1.0
            assert shift(first, other) == 0
        else:
            assert pure == 0
            shifts.append(shift(first, other))
        first.values.insert(0, (value, scale))
    assert 0.5 * math.sqrt(2 * RHO) < max(shifts) <= math.sqrt(2 * RHO)


def test_arms_that_none_of_the_first_people_had_are_unknown_also_without_privacy():
    for epsilon in (1.0, math.inf):
        own = learner(epsilon=epsilon)
        own.polled = np.array([[0.0, 3.0], [0.4, 1.0]])
        (none, some), mean = own.means()
        assert none == 0 < some
        assert np.isfinite(mean).all()


def test_there_are_no_first_people_where_they_were_fewer_than_two_for_each_arm():
    """A first batch of n rounds has n/12 of them before it."""
    assert learner(arms=2).episode == 0
    own = learner(arms=12)
    assert own.length == own.first < 12 * 24
    assert own.chance(0, None) == pytest.approx(1 / 12)


def test_contexts_of_the_first_people_do_not_count():
    values = []
    for size in (0.0, 5.0):
        port = Kept()
        own = learner(port)
        assert own.episode == 0
        for t in range(own.length):
            own.update(t % 2, t / own.length, np.full(2, size))
        (found,) = port.values
        values.append(found[0])
        assert not own.sums.any()
    assert np.array_equal(*values)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_a_person_in_some_rounds_of_the_first_people_and_some_later_keeps_the_promise(
    epsilon, delta
):
    """Part L, "Several rounds": j pure epsilons, and rho grown by the square of the others."""
    own = LinearProblem(arms=2, d=2, delta=delta)
    for rounds in (2, 3, 10):
        _, each = LeakyLinear.for_person(own, epsilon, rounds)
        for later in range(rounds + 1):
            left = epsilon - (rounds - later) * each
            assert left >= 0
            if later:
                assert delta_of(later**2 * largest_rho(each, delta), left) <= delta * (1 + 1e-9)


def test_arms_of_the_first_batch_have_their_shares_also_where_some_cannot_be_played():
    """20,000 draws each: within 5 standard errors."""
    own = after_the_first_people(arms=3)
    own.shares, x = np.array([0.6, 0.3, 0.1]), np.zeros(2)
    for allowed, shares in ((None, own.shares), ([0, 2], np.array([6, 0, 1]) / 7)):
        played = np.bincount([own.act(x, allowed) for _ in range(20_000)], minlength=3) / 20_000
        assert (np.abs(played - shares) <= 5 * np.sqrt(shares * (1 - shares) / 20_000)).all()
        assert own.chance(0, allowed) == pytest.approx(shares[0])


def test_late_rewards_are_counted_under_the_policy_of_their_round():
    own, waiting, delay = learner(), [], 7
    rng = np.random.default_rng(2)
    acted_under, batches = [], []
    for _ in range(400):
        x, before = rng.standard_normal(2), own.episode
        waiting.append((own.act(x), float(rng.random()), x))
        acted_under.append(before)
        if len(waiting) > delay:
            own.update(*waiting.pop(0))
            if own.episode > before:
                batches.append(own.t)
    rounds = np.diff(batches)  # the first end is that of the first people
    shares, before = own.policies(rounds.astype(float)), int(own.polled[0].sum())
    for j, (start, end) in enumerate(itertools.pairwise(batches)):
        counts = np.bincount(acted_under[before + start : before + end], minlength=shares.shape[1])
        assert shares[j] == pytest.approx(counts / rounds[j])


def test_exact_noise_is_drawn_on_whole_steps():
    """The port refuses values between the steps of its grid."""
    own = learner(ExactNoise(LeakyLinear.grid), epsilon=5.0, arms=3, d=3)
    rng = np.random.default_rng(4)
    for _ in range(200):
        x = rng.standard_normal(3)
        own.update(own.act(x), float(rng.random()), x)
    assert own.episode >= 2
    assert np.isfinite(own.theta).all()


def test_it_learns_from_fewer_people_than_dp_linear():
    """d = 5, two arms, epsilon 1: 1,000 people an arm; ten instances, paired. Over other seeds the
    difference was above 2.5 standard errors in all of 20 repetitions."""
    from dpbandits.core.streams import Streams, key_of
    from dpbandits.sparse.engine.leaky_linear import batch_by_batch

    setting = DenseSetting(d=5, arms=2)
    regrets = []
    for cls in (LeakyLinear, DpLinear):
        own = []
        for seed in range(10):
            rng = Streams(key_of("leaky", "5 2"), (seed,)).generator(0)
            one = cls(setting.public, 1.0, SimulatedNoise(rng), rng)
            own.append(batch_by_batch(one, Instance(setting, seed, rng), 2_000).sum())
        regrets.append(np.array(own))
    gain = regrets[1] - regrets[0]
    assert gain.mean() > 2 * gain.std(ddof=1) / math.sqrt(len(gain))


def test_contexts_whose_square_overflows_keep_their_direction_and_endless_ones_have_none():
    for norm, radius, size in ((None, 1.0, 1e300), (1e-100, 1.0, 1e300), (None, 0.02, 1.7e308)):
        own = learner(norm=norm)
        own.radius = radius
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            z = own.features(np.array([size, -size]))
            own.update(own.act(np.array([size, 0.0])), 1.0, np.array([size, 0.0]))
        first, *rest = z.tolist()
        far = leaky_linear.Q / math.sqrt(2) if size < 1e308 else 0.0
        assert (first, rest) == (leaky_linear.FIRST, pytest.approx([far, -far], abs=1e-12))
        assert np.isfinite(own.sums).all()


FEW_ROUNDS = {"arms": 3, "d": 5, "epsilon": 1.0, "delta": 1e-6}


def test_with_a_horizon_below_four_first_batches_it_plays_as_na_imed():
    """The same arms, draw for draw; contexts are read and change nothing; the promise is that of
    na-imed, for persons in several rounds, too."""
    rng, rewards = np.random.default_rng(3), {}
    with pytest.warns(UserWarning, match=r"523 rounds are below 4 first batches of 131: na-imed"):
        own = dp.learner("leaky-linear", **FEW_ROUNDS, horizon=523, noise="simulated", seed=1)
    plain = dp.learner("na-imed", arms=3, epsilon=1.0, horizon=523, noise="simulated", seed=1)
    for _ in range(523):
        arm = own.act(rng.standard_normal(5))
        assert arm == plain.act()
        reward = float(rng.random() < (arm + 1) / 4)
        own.update(reward)
        plain.update(reward)
        rewards[int(arm)] = rewards.get(int(arm), 0) + 1
    assert len(rewards) == 3
    assert (own.name, own.privacy) == ("leaky-linear", plain.privacy)
    assert (own.privacy.notion, own.privacy.delta) == ("pure", 0.0)
    for wrong in ((), ([1.0, 2.0],), ([math.nan] * 5,)):
        with pytest.raises(InputError):
            own.act(*wrong)
    with pytest.warns(UserWarning, match="na-imed plays"):
        twice = dp.learner("leaky-linear", **FEW_ROUNDS, horizon=523, contributions=2)
    assert twice.algorithm.epsilon == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that rounds are few
        enough = dp.learner("leaky-linear", **FEW_ROUNDS, horizon=524)
    assert isinstance(enough.algorithm, LeakyLinear)
    assert isinstance(dp.learner("leaky-linear", **FEW_ROUNDS).algorithm, LeakyLinear)


def test_what_plays_as_na_imed_is_kept_and_opened_again(tmp_path):
    about = FEW_ROUNDS | {"horizon": 100, "delay": 3, "store": tmp_path / "few.db"}
    with pytest.warns(UserWarning, match="na-imed plays"):
        own = dp.learner("leaky-linear", **about)
    for i in range(20):
        own.update(1.0, own.act(np.ones(5), person=i).ticket)
    with pytest.warns(UserWarning, match="na-imed plays"):
        again = dp.learner("leaky-linear", **about)
    assert again.estimates() == own.estimates()
    assert sum(again.estimates()["plays"]) == 20


@pytest.mark.parametrize("engine", ["plain", "fast"])
def test_simulations_play_as_na_imed_where_rounds_are_few(engine):
    """d = 5, two arms: na-imed learns nothing where contexts decide, and all where they do not."""
    of = {"d": 5, "arms": 2}
    few = dp.run("leaky-linear", of, 1.0, 427, range(4), [427], engine=engine)
    blank = of | {"law": "worthless"}
    none = dp.run("leaky-linear", blank, 1.0, 427, range(4), [427], engine=engine)
    assert few.curves["share"].mean() > 0.9 > 0.5 > none.curves["share"].mean()


def test_code_of_na_imed_is_behind_every_job_that_may_run_it():
    for name in ("leaky-linear", "dense-na-imed", "dense-na-imed-cells"):
        modules = dp.algorithms()[name].modules
        assert "dpbandits.stochastic.na_imed" in modules


def test_in_public_cells_na_imed_learns_what_cells_tell_and_no_more():
    """Kinds of people: less than without cells; contexts that say nothing: eight times the price;
    with all people in one cell it is na-imed."""
    rounds, epsilon = [20_000], 1.0

    def share(name, law):
        found = dp.run(name, {"d": 5, "arms": 3, "law": law}, epsilon, 20_000, range(4), rounds)
        return found.curves["share"].mean()

    cells, whole = "dense-na-imed-cells", "dense-na-imed"
    assert share(cells, "normal") < share(whole, "normal") - 0.1
    assert 1 < share(cells, "worthless") / share(whole, "worthless") < 16


@pytest.mark.parametrize("law", ["normal", "clusters", "skewed", "wine"])
def test_people_are_the_same_in_whatever_portions_they_come(law):
    sizes = {"d": 13, "arms": 3} if law == "wine" else {}
    setting = DenseSetting(law=law, **sizes)
    one, other = (Instance(setting, 3, np.random.default_rng(i)) for i in (1, 2))
    whole = one.people(400)
    parts = [other.people(n) for n in (1, 2, 150, 247)]
    for k in range(3):
        assert np.allclose(whole[k], np.concatenate([part[k] for part in parts]), atol=1e-12)


def test_estimate_of_the_idealised_learner_is_as_exact_as_its_theorem_says():
    """Theorem L2, step L4.1: two arms, z on the circle, the arms played at random (lambda = 1/4);
    the sum of squared errors against its two terms, with 4,000 repetitions (5 standard errors)."""
    G, g, sigma, omega, K, p = 1.3, 1.4, 30.0, 0.6, 2, 2
    rng, w = np.random.default_rng(0), math.sqrt(1 - g**-2) * g ** -np.arange(12.0)
    t = np.rint(100 * G ** np.arange(12)).astype(int)
    n, theta = np.diff(t, prepend=0)[::-1], np.array([[0.4, 0.0], [0.0, -0.3]])
    errors = np.empty(4_000)
    for i in range(len(errors)):
        # of a batch's moments: the normal law with the mean and covariance of sums over its rounds
        covariance = np.array([(np.eye(2) / 16) - np.outer(x, x) / 16 for x in theta])
        noise = np.einsum("aij,lai->laj", np.linalg.cholesky(covariance).swapaxes(1, 2),
                          rng.standard_normal((len(w), K, p)))  # fmt: skip
        b = n[:, None, None] * theta / 4 + np.sqrt(n)[:, None, None] * noise
        B = np.tensordot(w, b, 1)
        coded = B - (1 - omega) / K * B.sum(axis=0) + sigma * rng.standard_normal((K, p))
        L = coded + (1 / omega - 1) * coded.mean(axis=0)
        errors[i] = ((L / (w @ n / 4) - theta) ** 2).sum()
    private = p * sigma**2 * (K - 1 + omega**-2)
    gamma = (1 - 1 / G) * w[0]
    assert errors.mean() <= (t[-1] / 4 + private) / (gamma * t[-1] / 4) ** 2
    # exactly: the noise's part, and what the rounds' covariances leave of a quarter
    rounds = (w**2 @ n) * sum(np.trace(x) for x in covariance)
    exact = (rounds + private) / (w @ n / 4) ** 2
    assert abs(errors.mean() - exact) <= 5 * errors.std() / math.sqrt(len(errors))


G, OMEGA = 1.3, 0.6
KEPT = math.sqrt(1 - 1.4**-2) * 1.4 ** -np.arange(40.0)
ANGLES = np.pi / 720 * np.arange(1.0, 1440, 2)


class Circle:
    """Contexts at 720 angles of a circle, perhaps with a first entry; rewards -1/2 and 1/2."""

    def __init__(self, first, theta):
        turn = math.sqrt(1 - first**2) * np.stack((np.cos(ANGLES), np.sin(ANGLES)), axis=1)
        self.z = np.concatenate((np.full((len(turn), 1), first), turn), axis=1)[:, first == 0 :]
        self.theta, self.means = theta, self.z @ theta.T
        self.products = np.einsum("ni,nj->nij", self.z, self.z) / len(self.z)
        self.lost = self.means.max(axis=1, keepdims=True) - self.means
        gaps = np.sort(np.where(self.lost > 1e-12, self.lost, np.inf).min(axis=1))
        self.margin = (np.arange(1, len(gaps) + 1) / len(gaps) / gaps).max()  # C of (d)

    def grams(self, chosen):
        return np.array([self.products[chosen == a].sum(axis=0) for a in range(len(self.theta))])

    def spread(self, r):
        """lambda of (c), by what suffices: what is best by more than sqrt(2) r."""
        most = [np.delete(self.lost, a, axis=1).min(axis=1) for a in range(len(self.theta))]
        if r == math.inf:
            return np.linalg.eigvalsh(self.products.sum(axis=0))[0] / len(self.theta)
        sure = [self.products[x > math.sqrt(2) * r].sum(axis=0) for x in most]
        return min(np.linalg.eigvalsh(gram)[0] for gram in sure)

    def run(self, rng, n, rounds, sigma):
        """(regret, the squared error of every release) of the idealised learner."""
        K, p = self.theta.shape
        chosen, t, regret, errors, grams, moments = None, 0, 0.0, [], [], []
        while t < rounds:
            x = rng.integers(len(self.z), size=n)
            a = rng.integers(K, size=n) if chosen is None else chosen[x]
            y = (rng.random(n) < self.means[x, a] + 0.5) - 0.5
            regret += self.lost[x, a][: rounds - t].sum()
            played = self.products.sum(axis=0) / K if chosen is None else self.grams(chosen)
            grams.insert(0, n * np.broadcast_to(played, (K, p, p)))
            moments.insert(0, np.array([y[a == k] @ self.z[x[a == k]] for k in range(K)]))
            H, B = (np.tensordot(KEPT[: len(b)], np.array(b), 1) for b in (grams, moments))
            coded = B - (1 - OMEGA) / K * B.sum(axis=0) + sigma * rng.standard_normal((K, p))
            L = coded + (1 / OMEGA - 1) * coded.mean(axis=0)
            found = np.linalg.solve(H + 1e-9 * np.eye(p), L[..., None])[..., 0]
            errors.append(((found - self.theta) ** 2).sum())
            chosen, t = (self.z @ found.T).argmax(axis=1), t + n
            n = math.ceil((G - 1) * t)
        return regret, np.array(errors)


THIRDS = 0.45 * np.array([[np.cos(a), np.sin(a)] for a in (0.0, 2 * np.pi / 3, 4 * np.pi / 3)])
WORLDS = {
    "two arms": (0.0, np.array([[0.4, 0.0], [-0.4, 0.0]]), math.inf, 200, 20.0),
    "three": (0.0, THIRDS, 0.15, 3000, 5.0),
    "three and a constant": (0.3, np.insert(0.9 * THIRDS, 0, (0.02, 0, -0.02), 1), 0.12, 6000, 5.0),
}


@pytest.mark.parametrize("world", WORLDS)
def test_regret_of_the_idealised_learner_is_below_that_of_its_theorem(world):
    """Theorem L2 in whole runs, 30 of them: errors (L4.1), the event (L4.2), regret (L4.4)."""
    first, theta, r, n, sigma = WORLDS[world]
    circle, rounds, rng = Circle(first, theta), 40_000, np.random.default_rng(5)
    (K, p), spread = theta.shape, circle.spread(r)
    lg, V = spread * (1 - 1 / G) * KEPT[0], p * sigma**2 * (K - 1 + OMEGA**-2)
    runs = [circle.run(rng, n, rounds, sigma) for _ in range(30)]
    regret, errors = np.array([run[0] for run in runs]), np.array([run[1] for run in runs])
    near = np.cumprod(errors <= r * r, axis=1).astype(bool)
    before = np.insert(near[:, :-1], 0, True, axis=1)
    t = [n]
    while len(t) < errors.shape[1]:
        t.append(t[-1] + math.ceil((G - 1) * t[-1]))
    t = np.array(t)
    assert ((errors * before).mean(axis=0) <= (t / 4 + V) / (lg * t) ** 2).all()
    away = (G / (4 * (G - 1) * n) + G * G * V / ((G * G - 1) * n * n)) / (lg * r) ** 2
    assert 1 - near[:, -1].mean() <= away
    most = 1 + math.log(rounds / n) / math.log(G) + 4 * G * V / ((G - 1) * n)
    most = n + circle.margin * (G - 1 + 1 / n) / (2 * lg**2) * most
    assert (regret * near[:, -1]).mean() <= most


@pytest.mark.parametrize("world", WORLDS)
def test_loss_of_an_estimate_is_at_most_its_squared_error_times_twice_the_margin(world):
    """L4.3, and that all arms keep their lambda as near to the truth as (c) says; by a search."""
    first, theta, r, _, _ = WORLDS[world]
    circle = Circle(first, theta)

    def value(rows):
        out = np.empty(len(rows))
        for i, row in enumerate(rows):
            away = row.reshape(theta.shape)
            away = away * min(1, (r if r < math.inf else 0.5) / np.linalg.norm(away))
            chosen = (circle.z @ (theta + away).T).argmax(axis=1)
            least = min(np.linalg.eigvalsh(x)[0] for x in circle.grams(chosen))
            assert least >= circle.spread(r) - 2 / len(ANGLES)
            loss = circle.lost[np.arange(len(chosen)), chosen].mean()
            out[i] = loss / (2 * circle.margin * (away**2).sum())
        return out

    found = maximise(value, theta.size, 1_500, np.random.default_rng(2), parents=20, children=10)
    assert 0.05 < found.value <= 1


def test_a_person_alone_has_the_features_of_a_row_of_many():
    rng = np.random.default_rng(5)
    own = learner(d=4)
    for scale, shift in ((0.1, 0.0), (1.0, 0.0), (1.0, 2.0), (50.0, 0.0)):
        own.centre, own.radius = rng.standard_normal(4) / 4, rng.uniform(0.05, 1.5)
        people = scale * rng.standard_normal((200, 4)) + shift
        alone = np.array([own.features(x) for x in people])
        assert np.allclose(alone, own.features(people), rtol=0, atol=1e-12)
        assert (np.linalg.norm(alone, axis=1) <= 1).all()


@pytest.mark.parametrize("size", [0.0, 1.0, 100.0])
def test_a_difference_between_gram_matrices_counts_as_far_as_it_is_above_the_noise(size):
    """Of 400 matrices of the law that is assumed. The mean squared error is about the variance that
    is said (the size is estimated), less than without the difference, and than with all of it
    (fixed seed)."""
    rng, p, values = np.random.default_rng(5), 12, np.geomspace(1, 0.05, 12)
    vectors = np.linalg.qr(rng.standard_normal((p, p)))[0]
    errors, said, without = [], [], []
    for _ in range(400):
        true, noise = (
            (x + x.T) / math.sqrt(2)
            for x in rng.standard_normal((2, p, p))  # 2 on the diagonal
        )
        true *= math.sqrt(size) * np.sqrt(np.outer(values, values))
        true = vectors @ true @ vectors.T
        mean, variance = leaky_linear.above_noise(true + noise, 1.0, values, vectors)
        assert np.allclose(mean, mean.T)
        errors.append(((mean - true) ** 2 / (1 + np.eye(p))).mean())
        without.append((true**2 / (1 + np.eye(p))).mean())
        said.append(variance)
    error = np.mean(errors)
    assert np.mean(said) == pytest.approx(error, rel=0.15, abs=0.03)
    assert error < 0.9
    assert error < np.mean(without) if size else error < 0.03


def test_an_arm_in_doubt_has_a_part_of_its_share_and_one_that_is_clearly_worse_nothing():
    rng = np.random.default_rng(5)
    z = np.column_stack((np.full(4000, leaky_linear.FIRST), rng.uniform(-1, 1, (4000, 1)) / 10))
    theta = np.array([[0.0, 0.2], [-0.5, -0.2], [-2.0, 0.0], [-0.03, -0.1]])
    exactness = np.array([100.0, 1.0, 1.0, 100.0])[:, None, None] * np.eye(2)  # sd .035 and .35
    more = leaky_linear.doubt(theta, exactness, z)
    assert more[1] > 0
    assert not more[[0, 2, 3]].any()  # 2 lacks more than DOUBT of its errors, 0 and 3 are played
    theta[1, 0] += more[1] / leaky_linear.FIRST
    played = np.bincount(np.argmax(z @ theta.T, axis=1), minlength=4) / len(z)
    assert played[1] == pytest.approx(leaky_linear.SELDOM / 4, abs=0.001)
    assert played[2] == 0


@pytest.mark.parametrize("seed", [74_000, 74_021])
def test_a_start_of_bad_luck_is_overcome(seed):
    """Two runs that 0.4.3 loses, as examples: without the benefit of the doubt the second plays a
    wrong arm to its end; with a floor in the place of the prior the map of the first is far too
    small (it is small here, too, but does no harm)."""
    instance = Instance(DenseSetting(d=5, arms=2), seed, np.random.default_rng(seed))
    own = LeakyLinear(instance.setting.public, 1.0, SimulatedNoise(instance.rng), instance.rng)
    regret = batch_by_batch(own, instance, 20_000)
    assert regret[5000:].mean() < 0.1 * instance.idle()
