"""The preset `zcdp` and dp-signs: against plain references, and privacy on what is executed."""

import itertools
import math

import numpy as np
import pytest
from by_hand import rng
from scipy.stats import chisquare, ks_2samp, norm

from dpbandits.audit.balls import upper
from dpbandits.core.algorithms import get_study, run
from dpbandits.core.streams import streams_for
from dpbandits.pipeline.figures import drawn, get_figure
from dpbandits.pipeline.plan import load_plan
from dpbandits.sparse import dp_signs
from dpbandits.sparse.engine.contexts import Episode, RowContexts
from dpbandits.sparse.engine.presets import tuning
from dpbandits.sparse.engine.selection import Scores, largest_noisy
from dpbandits.sparse.engine.zcdp import delta_of, largest_rho
from dpbandits.sparse.fliphat import simulate_with
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.studies import fresh_instances

T, AT, RUNS = 500, np.array([40, 200, 500]), 150


# Conversion


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 5.0, 40.0])
@pytest.mark.parametrize("delta", [0.3, 0.01, 1e-8])
def test_the_largest_rho_is_proved_and_cannot_grow(epsilon, delta):
    rho = largest_rho(epsilon, delta)
    assert delta_of(rho, epsilon) <= delta
    orders = 1 + np.exp(np.linspace(-12, 25, 100_001))
    above = orders - 1
    with np.errstate(over="ignore"):
        log = above * (orders * rho - epsilon) - above * np.log1p(1 / above) - np.log(orders)
    assert abs(log.min() - math.log(delta)) < 1e-5  # no order of a fine grid gives less
    assert not delta_of(rho * (1 + 1e-9), epsilon) <= delta


def test_a_gaussian_of_that_rho_keeps_the_promise():
    """Its exact delta (Balle and Wang 2018) is below what the conversion grants, by little."""
    for epsilon in (0.5, 1.0, 5.0):
        rho = largest_rho(epsilon, 0.01)
        mean = math.sqrt(2 * rho)
        exact = norm.cdf(mean / 2 - epsilon / mean)
        exact -= math.exp(epsilon) * norm.cdf(-mean / 2 - epsilon / mean)
        assert 0.002 < exact <= upper(delta_of(rho, epsilon)) <= 0.01


def test_infinite_epsilon_asks_for_no_noise():
    assert largest_rho(math.inf, 0.01) == math.inf
    assert tuning(SparseSetting(preset="zcdp"), math.inf, 100).scales == (0.0,)


# Selection at once


def test_selection_has_the_law_of_exponential_mechanisms_in_turn():
    """Ordered pairs of five columns: chi-square at 1e-6, 20 cells; the seed is fixed."""
    sizes, scale, random = np.array([0.0, -0.4, 1.1, 0.7, -1.6]), 0.8, rng(1)
    weights = np.exp(np.abs(sizes) / scale)
    pairs = list(itertools.permutations(range(5), 2))
    law = [weights[i] * weights[j] / weights.sum() / (weights.sum() - weights[i]) for i, j in pairs]
    seen = dict.fromkeys(pairs, 0)
    for _ in range(30_000):
        seen[tuple(map(int, largest_noisy(random, 2, Scores(sizes), scale)))] += 1
    assert chisquare(list(seen.values()), 30_000 * np.array(law)).pvalue > 1e-6


def test_doubtful_scores_are_refined_where_it_matters():
    true = rng(2).standard_normal(60)
    for seed in range(200):
        doubtful = true + rng(seed).uniform(-0.3, 0.3, 60)
        scores = Scores(doubtful, 0.3, lambda columns: true[columns])
        chosen = largest_noisy(rng(seed), 5, scores, 0.5)
        np.testing.assert_array_equal(chosen, largest_noisy(rng(seed), 5, Scores(true), 0.5))
        np.testing.assert_array_equal(scores.values[chosen], true[chosen])


# Plain references, sharing no code with the package but the setting and the rho


def plain_episodes(random, s: SparseSetting, first: int, learn) -> np.ndarray:
    signal = np.append(s.beta, np.zeros(s.d - len(s.beta)))
    factor = np.linalg.cholesky([[s.rho ** abs(i - j) for j in range(s.d)] for i in range(s.d)])
    cut = math.sqrt(2 * math.log(s.d)) if s.preset == "zcdp" else math.inf
    regret, theta, start, end = [], None, 0, first
    while start < T:
        n = min(end, T) - start
        contexts = random.standard_normal((n, s.arms, s.d)) @ factor.T
        seen, means = np.clip(contexts, -cut, cut), contexts @ signal
        arm = random.integers(s.arms, size=n) if theta is None else np.argmax(seen @ theta, axis=1)
        played = (np.arange(n), arm)
        rewards = means[played] + s.sigma * random.standard_normal(n)
        regret.extend(means.max(axis=1) - means[played])
        if end <= T:
            theta = learn(random, seen[played], rewards, theta)
        start, end = end, end + max(first, end + 1)
    return np.cumsum(regret)[AT - 1]


def kept(random, v, s, select, release):
    noisy = np.abs(v) - select * np.log(random.exponential(size=len(v)))
    largest, theta = np.argsort(noisy)[-s:], np.zeros(len(v))
    theta[largest] = v[largest] + release * random.standard_normal(s)
    return theta


def plain_zcdp(s: SparseSetting, rho):
    def learn(random, x, y, _):
        n, b, bound = len(y), sum(map(abs, s.beta)), math.sqrt(2 * math.log(s.d))
        clip = s.clip or bound * b + s.sigma * math.sqrt(2 * math.log(1 + n))
        steps, theta = max(1, math.floor(s.steps_factor * math.log(1 + n))), np.zeros(s.d)
        for step in range(steps):
            reach = clip + (bound * b if step else 0)
            noise = 4 * s.step_size * bound * reach / n * math.sqrt(steps * s.sparsity / rho)
            v = theta - s.step_size * 2 / n * x.T @ (x @ theta - np.clip(y, -clip, clip))
            theta = kept(random, v, s.sparsity, noise, noise)
            low, high = 0.0, np.abs(theta).max()  # the soft threshold, by bisection
            if np.abs(theta).sum() > b:
                for _ in range(80):
                    middle = (low + high) / 2
                    inside = np.maximum(np.abs(theta) - middle, 0).sum() <= b
                    low, high = (low, middle) if inside else (middle, high)
                theta = np.sign(theta) * np.maximum(np.abs(theta) - high, 0)
        return theta

    return learn


def plain_signs(s: SparseSetting, rho):
    grid = [0.0] + [sign * 2 ** (k / 4) for k in range(-40, 41) for sign in (-1, 1)]

    def quartile(random, r, share):
        a = math.sqrt(0.1 * rho)
        below = (r < np.array(grid)[:, None]).sum(axis=1)
        scores = -a * np.abs(below - share * len(r))
        return grid[np.argmax(scores - np.log(random.exponential(size=len(grid))))]

    def learn(random, x, y, theta):
        n, theta = len(y), np.zeros(s.d) if theta is None else theta
        r = y - x @ theta
        low, high = quartile(random, r, 0.25), quartile(random, r, 0.75)
        spread = max(high - low, 0) / 1.349
        alike = (x >= 0) == (r >= (low + high) / 2)[:, None]
        sums = np.where(alike, 1, -1).sum(axis=0)
        moved = math.pi * spread / n
        v = theta + spread * np.sin(math.pi / 2 * sums / n)
        select, release = (
            moved * math.sqrt(s.sparsity / (2 * share * rho)) for share in (0.6, 0.3)
        )
        return kept(random, v, s.sparsity, select, release)

    return learn


CASES = [
    ("fliphat", 5.0, {"preset": "zcdp", "step_size": 0.05}),
    ("fliphat", 20.0, {"preset": "zcdp", "clip": 1.5, "rho": 0.6, "step_size": 0.1}),
    (
        "fliphat",
        50.0,
        {"preset": "zcdp", "clip": 2, "steps_factor": 0.5, "step_size": 0.2, "arms": 6},
    ),
    ("dp-signs", 3.0, {"sparsity": 3}),
    ("dp-signs", 20.0, {"rho": 0.7, "arms": 8, "sigma": 1.0}),
    ("dp-signs", 0.8, {"rho": -0.5, "sparsity": 2, "delta": 0.2}),
]


@pytest.mark.parametrize(("name", "epsilon", "setting"), CASES)
def test_regret_has_the_law_of_the_plain_algorithm(name, epsilon, setting):
    """18 KS tests at 1e-5: flake rate 2e-4, and the seeds are fixed."""
    s = SparseSetting(**{"d": 20, "true_sparsity": 5, "sparsity": 6} | setting)
    rho = largest_rho(epsilon, s.delta)
    first, learn = 1, plain_zcdp(s, rho)
    if name == "dp-signs":
        first, learn = dp_signs.first_episode(s, rho), plain_signs(s, rho)
    plain = [plain_episodes(np.random.default_rng([8, r]), s, first, learn) for r in range(RUNS)]
    ours = run(name, s, epsilon, T, range(RUNS), AT).regret
    for a, b in zip(np.transpose(plain), ours.T, strict=True):
        assert ks_2samp(a, b).pvalue > 1e-5


@pytest.mark.parametrize(
    "setting", [{}, {"clip": 2.0, "rho": 0.5}, {"clip": 2.0, "steps_factor": 0.5}]
)
def test_engines_agree(setting):
    """Dense against rows and clipped: 24 KS tests at 1e-5."""
    s = SparseSetting(**{"d": 12, "sparsity": 6, "step_size": 0.05, "preset": "zcdp"} | setting)
    seen = {}
    for number, engine in enumerate(("dense", "rows", "clipped")):
        streams = streams_for("fliphat", s, 10.0, 200, range(1000 * number, 1000 * number + 150))
        result = simulate_with(engine, s, 10.0, 200, streams, np.array([60, 200]))
        seen[engine] = [*result.regret.T, *result.curves["error"].T]
    for engine in ("rows", "clipped"):
        pairs = zip(seen["dense"], seen[engine], strict=True)
        assert min(ks_2samp(a, b).pvalue for a, b in pairs) > 1e-5


# Privacy, on what is executed


def neighbours(random, n, s, clip):
    """Two data sets that differ in their first record, most of them at the corners."""
    x = random.choice([-1.0, 1.0], (n, s.d)) * s.x_max
    y = random.choice([-1.0, 1.0], n) * clip * 10 ** random.uniform(-0.3, 0.3)
    x2, y2 = x.copy(), y.copy()
    x2[0], y2[0] = random.choice([-1.0, 1.0], s.d) * s.x_max, -y[0]
    return (x, y), (x2, y2)


def test_zcdp_spends_rho_on_the_executed_steps(monkeypatch):
    """Steps of neighbouring data move by as much as the noise was set for, and never by more."""
    from dpbandits.sparse.engine import iht

    seen = []
    monkeypatch.setattr(iht, "peeling", lambda scores, scale, select, release: (
        seen.append((scores.values.copy(), scale)) or FIXED[len(seen) % STEPS].copy()))  # fmt: skip
    s = SparseSetting(d=8, sparsity=3, preset="zcdp", clip=1.5, steps_factor=0.6, step_size=0.3)
    n, epsilon, random, worst = 60, 2.0, rng(4), 0.0
    how, rho = tuning(s, epsilon, n), largest_rho(epsilon, s.delta)
    STEPS, FIXED = how.steps, [np.eye(8)[k] * s.b_max for k in range(how.steps)]
    for _ in range(400):
        seen.clear()
        for x, y in neighbours(random, n, s, how.clip):
            iht.niht(iht.Matrix(x), y, how, s.step_size, lambda k: None, None)
        cost = 0.0
        for (v, scale), (v2, _) in zip(seen[:STEPS], seen[STEPS:], strict=True):
            moved = np.max(np.abs(v - v2)) / scale
            cost += s.sparsity * moved**2 / 2 + s.sparsity * moved**2 / 2  # A3 and A4
        worst = max(worst, cost / rho)
    assert STEPS == 2
    assert 0.95 < worst <= 1 + 1e-9


def test_dp_signs_spends_rho_on_the_executed_step(monkeypatch):
    s = SparseSetting(d=8, sparsity=3)
    n, epsilon, random = 40, 2.0, rng(5)
    rho, worst = largest_rho(epsilon, s.delta), 0.0
    monkeypatch.setattr(dp_signs, "quantile", lambda rng, r, q, share: 2 * q * share)
    seen = []
    monkeypatch.setattr(dp_signs, "peeling", lambda *given: seen.append(given))
    for _ in range(300):
        seen.clear()
        for x, y in neighbours(random, n, s, 1.0):
            rows = type("R", (), {"where": np.arange(8), "known": x})()
            rows.sign_sums = lambda u, x=x: np.sign(x).T @ u
            dp_signs.sign_step(s, rho, random, 1, Episode(rows, y, None), np.full(8, 0.01))
        (v, release, select, _), (v2, *_) = ((g[0].values, *g[1:]) for g in seen)
        moved = np.max(np.abs(v - v2))
        cost = s.sparsity * moved**2 / 2 * (1 / release**2 + 1 / select.args[2] ** 2)
        worst = max(worst, cost / (rho * (1 - 2 * dp_signs.QUARTILE)))
    assert 0.9 < worst <= 1 + 1e-9  # sin is a little flatter than its tangent


def test_a_quartile_costs_what_it_may():
    """Exact Renyi divergence of the executed exponential mechanism over replaced values."""
    random, rho, worst = rng(6), 0.3, 0.0
    grid = dp_signs.QUARTILES

    def law(values, q):
        weights = -math.sqrt(2 * rho) * np.abs(
            np.searchsorted(np.sort(values), grid) - q * len(values)
        )
        weights = np.exp(weights - weights.max())
        return weights / weights.sum()

    for _ in range(3000):
        n = int(random.integers(1, 9))
        values = random.choice(grid, n) * 1.01
        other = np.append(values[1:], random.choice([-1e9, 1e9, 0.0]))
        p, q = law(values, 0.25), law(other, 0.25)
        for order in (1.5, 3.0, 10.0):
            divergence = np.log(np.sum(q * (p / q) ** order)) / (order - 1)
            worst = max(worst, divergence / (order * rho))
    assert 0.5 < worst <= 1
    draws = [dp_signs.quantile(random, values, 0.25, rho) for _ in range(4000)]
    cells = law(values, 0.25)
    counts = np.array([np.sum(np.array(draws) == g) for g in grid])
    big = cells * 4000 > 5
    rest = (
        np.append(counts[big], counts[~big].sum()),
        np.append(cells[big], cells[~big].sum()) * 4000,
    )
    assert chisquare(*rest).pvalue > 1e-6


def test_sign_sums_are_those_of_rows():
    """Given known columns, against signs of whole rows: means and second moments at 5 SE."""
    s = SparseSetting(d=7, sparsity=2, true_sparsity=2, rho=0.6)
    random, estimate = rng(7), np.array([0, 0, 0.4, 0, 0, -0.7, 0])
    contexts = RowContexts(s, random)
    episode = contexts.play(estimate, 4)
    rows, u = episode.design, np.array([1.0, -1.0, 1.0, 1.0])
    fast, whole = [], []
    for seed in range(8000):
        rows.seed = seed
        fast.append(rows.sign_sums(u))
        whole.append(u @ np.where(np.concatenate([x for _, x in rows.blocks()]) >= 0, 1.0, -1.0))
    fast, whole = np.array(fast), np.array(whole)
    for moment in (lambda x: x, lambda x: np.einsum("ni,nj->nij", x, x).reshape(len(x), -1)):
        p, q = moment(fast), moment(whole)
        error = np.sqrt((p.var(axis=0) + q.var(axis=0)) / len(p))
        assert np.all(np.abs(p.mean(axis=0) - q.mean(axis=0)) <= 5 * error + 1e-12)


@pytest.mark.parametrize("keys", [{}, {"algorithm": "dp-signs"}, {"n": 10**6, "clip": 3}])
def test_the_audit_of_the_executed_noise_meets_its_promise(keys):
    """And the calibrated scale is the one that the preset sets."""
    from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS

    for epsilon, delta in ((0.5, 0.01), (1.0, 1e-6), (10.0, 0.1)):
        entry, target = MECHANISMS.all()["fliphat"], CALIBRATORS.all()["fliphat"]
        params = entry.params(**keys, epsilon=epsilon, delta=delta)
        assert 0.9999 * delta < entry.compute(params, (epsilon,)).delta_at[epsilon] <= delta
        found = target.compute(target.params(**keys), epsilon, delta)
        assert found.audited.delta_at[epsilon] <= delta
        if "algorithm" not in keys:
            s = SparseSetting(preset="zcdp", delta=delta, clip=keys.get("clip"))
            how = tuning(s, epsilon, params.n)
            moved = 4 * s.step_size * s.x_max * how.clip / params.n
            assert how.scales[0] == pytest.approx(found.noise["scale"] * moved)


FRESH = {"instances": 2, "seeds": 2, "horizon": 100, "d": 30, "epsilon": [2.0]}


def test_a_series_that_is_added_to_the_config_reaches_table_picture_and_sentence():
    mine = {"id": "mine", "name": "fliphat", "with": {"preset": "printed"}}
    table = get_study("fl/fresh_instances").table(
        FRESH | {"series": ["dp-signs", mine, "sa-lasso"]}
    )
    for series in ("dp-signs", "mine", "sa-lasso"):
        assert (table["algorithm"] == series).sum() == 3  # kinds of signals
    drawing = drawn(get_figure("fl/fresh_instances"), {"fresh_instances": table}.get)
    lines = {text.get_text() for legend in drawing.figure.legends for text in legend.get_texts()}
    for series in ("mine", "sa-lasso"):
        assert any(series in line.lower() for line in lines)
        assert (
            f"{series} {table[table['algorithm'] == series]['mean'].mean():.3f}" in drawing.we_see
        )


def test_fresh_instances_again_by_hand(monkeypatch):
    """One cell of the study by plain calls, on a signal that is drawn, not typed in."""
    keys = FRESH | {"series": load_plan("smoke").study("fl", "fresh_instances")[1]["series"]}
    entry, seen = get_study("fl/fresh_instances"), []
    plain = fresh_instances._regret
    monkeypatch.setattr(fresh_instances, "_regret", lambda *x: seen.append(x) or plain(*x))
    table = entry.table(keys).set_index(["kind", "algorithm"])
    signals = {tuple(setting["beta"]) for _, _, setting, _ in seen}
    assert len(signals) == 6  # two of each kind, all apart
    noisy = [x for x in seen if x[2].get("sigma") == 1.0]
    shares = []
    for beta in dict.fromkeys(tuple(x[2]["beta"]) for x in noisy):
        setting = {"d": 30, "beta": list(beta), "sigma": 1.0, "rho": 0.5}
        ours, idle = (
            run(name, setting, epsilon, 100, range(2), [100]).regret.mean()
            for name, epsilon in (("dp-signs", 2.0), ("random-arm", np.inf))
        )
        shares.append(ours / idle)
    row = table.loc["noisy", "dp-signs"]
    assert row["mean"] == pytest.approx(np.mean(shares))
    assert row["worst"] == pytest.approx(max(shares))
    private = table.loc["noisy"].drop("fliphat-released")["best"]
    assert private.sum() >= 1  # on every instance one of the private learners is the least
