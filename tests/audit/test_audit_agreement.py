"""Two independent methods, wherever both apply: the papers' own numerics against the audit engine.

HU has grid quadratures of the lazy algorithms, FL an accountant of randomised responses and events
with a proved law; all were written apart from `audit`.
"""

import numpy as np
import pytest
from flint import arb
from scipy.stats import binom

from dpbandits.audit import laplace, lazy, niht, peeling
from dpbandits.audit.balls import lower, precision, upper
from dpbandits.audit.engine.lazy_ts import ts_law
from dpbandits.audit.studies import lemma_a2
from dpbandits.sparse.engine.accountant import peeling_delta
from dpbandits.stochastic.engine.short_horizon import ts_table, ucb_table, worst_loss


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_anytime_lazy_ucb(epsilon):
    exact = lazy.ucb_law(6, epsilon).worst([])[0]
    assert worst_loss(ucb_table(epsilon, 6))[0] == pytest.approx(exact, rel=2e-5)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_lazy_thompson_sampling(epsilon):
    exact = ts_law(5, epsilon).worst([])[0]
    assert worst_loss(ts_table(epsilon))[0] == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize(("ratio", "s", "steps"), [(0.05, 10, 3), (0.2, 4, 2), (0.3, 3, 1)])
def test_composition_of_peelings(ratio, s, steps):
    """The accountant treats releases as randomised response, too: never below the audit."""
    for epsilon in (0.3, 1.0, 2.0):
        ours = peeling.delta_upper(arb(ratio), s, 400, epsilon, steps)
        assert upper(ours) <= peeling_delta(epsilon, ratio, s, steps) * (1 + 1e-9) + 1e-12


def test_selections_alone_agree_exactly():
    """Without releases both are binomial sums."""
    from dpbandits.sparse.engine.accountant import composed_delta

    ours = peeling.composed_upper(arb(0.15), 9, 0, 0.7)
    assert float(ours) == pytest.approx(composed_delta(0.7, ((0.3, 9),)), rel=1e-9)


def majority_excess(s, ratio, at_least, epsilon):
    """P - e^eps P' of "at least so many of s releases, shifted by r, lie above the middle"."""
    above = 1 - np.exp(-ratio / 2) / 2
    return binom.sf(at_least - 1, s, above) - np.exp(epsilon) * binom.sf(at_least - 1, s, 1 - above)


def test_events_with_a_known_law_stay_below_the_bounds():
    for s, ratio, at_least, epsilon in ((10, 0.5, 8, 1.0), (20, 0.8, 15, 5.0), (20, 3.0, 16, 9.0)):
        excess = majority_excess(s, ratio, at_least, epsilon)
        assert excess <= upper(laplace.composed_delta(ratio, s, epsilon))
        assert excess <= upper(peeling.delta_upper(arb(ratio), s, 400, epsilon))


def test_lower_bound_of_peeling_beats_the_event_of_releases_alone():
    with precision(512):
        ratio = peeling.printed_ratio(20, 80.0, 0.01)
    ours = lower(peeling.delta_lower(ratio, 20, 400, 80.0)[0])
    assert ours > max(majority_excess(20, float(ratio), k, 80.0) for k in range(21))
    assert ours > 0.01


def test_table_of_the_lemma():
    params = lemma_a2.LemmaParams(d=400, sparsity=(6, 10), epsilon=(1.0, 100.0), delta=(0.01,))
    table = lemma_a2.lemma_table(params).set_index(["s", "epsilon"]).verdict
    assert table[6, 1.0] == table[6, 100.0] == table[10, 1.0] == "proved"
    assert table[10, 100.0] == "violated"


def test_printed_niht_against_the_flipped_reward_event():
    """FL's certified event for one printed step cannot exceed our certified upper bound."""
    from dpbandits.sparse.claims.privacy import _first_step_events

    n, epsilon = 4096, 2.0
    setting, event = _first_step_events(n, epsilon)
    clip = setting.x_max * setting.b_max + setting.sigma * np.sqrt(2 * np.log(n))
    params = niht.NihtParams(
        x_max=setting.x_max, reward_clip=clip, b_max=setting.b_max, n=n, d=setting.d, steps=1,
        s=setting.sparsity, epsilon=epsilon, delta=setting.delta,
    )  # fmt: skip
    for at in (1.0, 2.0, 3.0):
        assert lower(event.excess(at)) <= upper(niht.delta_upper(params, at))
    assert niht.delta_lower(params, 2.0)[0] > setting.delta
