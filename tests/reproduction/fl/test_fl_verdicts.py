"""The study behind FL-F3L's reading below s*: its runs are enough, and paired."""

from scratch import ROOT

from dpbandits.core.documents import read_yaml
from dpbandits.reproduction.fl.studies import sparsity_below
from dpbandits.reproduction.ledger.claims import get_claim


def test_enough_runs_decide_what_is_below_the_true_sparsity():
    """No row says that more runs would decide; 1,000 give errors of half a percent."""
    study = read_yaml(ROOT / "config/fl.yaml")["studies"]["sparsity_below"]
    assert study["params"]["runs"] >= 1000
    assert not any(r.untestable for r in get_claim("FL-F3L").readings)


def test_common_streams_leave_the_error_of_pairs():
    """Runs of one number share their random numbers at s and s*: the streams are fixed, and 400
    pairs, of correlation 0.35 +- 0.05, have 0.8 +- 0.03 of the error of independent runs."""
    sizes = {"true_sparsity": 10, "sparsity": (10, 5), "epsilon": (5,), "horizon": 300}
    table = sparsity_below.compute(sparsity_below.Params(**sizes, runs=400))
    same, half = table.itertuples()
    assert (same.gap, same.sem) == (0, 0)
    assert 0 < half.sem < 0.9 * half.unpaired
