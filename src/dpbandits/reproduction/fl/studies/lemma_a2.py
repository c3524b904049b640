"""At which (s, eps, delta) Peeling with its printed noise is (eps, delta)-DP (FL Lemma A.2)."""

from itertools import product
from typing import Annotated

import pandas as pd
from flint import arb
from pydantic import Field

from dpbandits.audit.computed.balls import as_delta, lower, precision
from dpbandits.core.models import Count, Model
from dpbandits.reproduction.fl.mechanisms.peeling import (
    check_sizes,
    delta_lower,
    delta_upper,
    printed_ratio,
)
from dpbandits.reproduction.series import Positives, Share
from dpbandits.reproduction.studies import study


class Params(Model):
    d: Count
    sparsity: tuple[Annotated[int, Field(ge=1, le=100)], ...]
    epsilon: Positives
    delta: tuple[Share, ...]


@study("fl/lemma_a2", params=Params)
def compute(params: Params) -> pd.DataFrame:
    """One row per (delta, s, eps): the verdict, and certified bounds on the true delta at eps."""
    rows = []
    for delta, s, epsilon in product(params.delta, params.sparsity, params.epsilon):
        verdict, low, high = lemma(s, params.d, epsilon, delta)
        bounds = (max(0.0, lower(low)), as_delta(high))
        rows.append((delta, s, params.d, epsilon, verdict, *bounds))
    columns = ["delta", "s", "d", "epsilon", "verdict", "delta_at_least", "delta_at_most"]
    return pd.DataFrame(rows, columns=columns)


def lemma(s: int, d: int, epsilon: float, delta: float) -> tuple[str, arb, arb]:
    """Whether Peeling with the printed noise is (eps, delta)-DP: ("proved" | "violated" | "open",
    low, high), low and high being certified bounds on its delta at eps.
    For s <= (4/3) ln(1/delta) it is proved for every eps by the pure loss, 3 s r <= eps. For larger
    s < d the pure loss exceeds eps, and the lemma is violated at every large enough eps."""
    check_sizes(s, d)
    with precision(1024):
        ratio = printed_ratio(s, epsilon, delta)
    high = delta_upper(ratio, s, d, epsilon)
    if high <= delta:
        return "proved", arb(0), high
    low, _ = delta_lower(ratio, s, d, epsilon)
    return ("violated" if low > delta else "open"), low, high
