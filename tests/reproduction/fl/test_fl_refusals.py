"""FL's checks say nothing where the proof behind them is missing, at a tie, or in one case of
many. Only what a check computes is replaced; every number here stands for the smallest failure."""

from types import SimpleNamespace

import pytest
from flint import arb
from smoke_tables import GOLDEN

from dpbandits.core.errors import ProofError
from dpbandits.core.files import read_table
from dpbandits.reproduction.fl.claims import estimation, lower_bound, peeling, privacy, tails
from dpbandits.reproduction.ledger.claims import get_claim

TIE = (1, 1)  # left and right side: what should be larger is equal
REFUSED = [
    ("FL-LD.1", peeling, "basic_peeling_sides", lambda *_, c: TIE),
    ("FL-LD.2", peeling, "contraction_sides", lambda *_: TIE),
    ("FL-LA.2", peeling, "lemma", lambda *_: ("open", 0.0, 1.0)),
    ("FL-LA.2", peeling, "lemma", lambda *_: ("holds", 0.0, 0.009)),
    ("FL-LE.1", tails, "largest_tail", lambda k, c: (0.5, 0.5 - (k == 10) * 1e-11)),
    # P(max > ...) d^2/2 > 1 at every d: at 64 it is 1
    ("FL-E2", tails, "normal_maximum", lambda d, _: arb(1) if d != 64 else arb(2) / 64**2),
    # P(max > ...) > 1/n at every n: at 256 it is 1/n
    ("FL-E4", tails, "normal_maximum", lambda n, _: arb(1) if n != 256 else arb(1) / 256),
    ("FL-T4.1c", estimation, "step_c", lambda _: (1.0, 0.5, 1.0)),
    ("FL-Crho", lower_bound, "quartic", lambda t, epsilon, _: arb(t - 1 if epsilon != 0.03 else 0)),
]


@pytest.mark.parametrize(("id", "module", "name", "instead"), REFUSED)
def test_failed_check_raises_proof_error(id, module, name, instead, monkeypatch):
    monkeypatch.setattr(module, name, instead)
    with pytest.raises(ProofError):
        get_claim(id).verdicts(lambda table: read_table(GOLDEN / f"fl/{table}.csv"))


def test_the_divergence_must_exceed_twice_what_is_allowed(monkeypatch):
    """D_2 of the leak at q = 1e-300 is ln(0.99 + 0.01 * 1e300) = 300 ln 10 - ln 100 = 686.17; two
    steps of rho = rho_0^4/4 in D_2 <= 2 rho allow rho_0^4/2 each: refused from rho_0^4 = 686.2."""
    reached = 686.2
    monkeypatch.setattr(lower_bound, "root", lambda *_: reached**0.25)
    with pytest.raises(ProofError, match="divergence"):
        get_claim("FL-C4b").verdicts(None)
    monkeypatch.setattr(lower_bound, "root", lambda *_: (reached - 0.1) ** 0.25)
    assert get_claim("FL-C4b").verdicts(None)[0].verdict == "violated"


def test_every_promised_epsilon_must_be_violated(monkeypatch):
    real = privacy.one_step

    def tied(epsilon):
        event = real(epsilon)
        fake = SimpleNamespace(excess=lambda _: arb(privacy.DELTA), epsilon=event.epsilon)
        return fake if epsilon == 5.0 else event

    monkeypatch.setattr(privacy, "one_step", tied)
    with pytest.raises(ProofError, match="eps = 5"):
        get_claim("FL-S4").verdicts(None)
