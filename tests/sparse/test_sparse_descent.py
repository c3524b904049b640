"""The compiled N-IHT against the plain loop over `LazyGaussian`, number by number."""

import itertools

import numpy as np
import pytest
from by_hand import plain_descent

from dpbandits.core.streams import streams_for
from dpbandits.sparse.engine.contexts import LazyRows
from dpbandits.sparse.fliphat import simulate_with
from dpbandits.sparse.problem import SparseSetting

AT = np.array([30, 300, 3000])


@pytest.mark.parametrize("rho", [0.0, 0.1, -0.6, 0.95])
def test_same_curves_as_the_plain_loop(rho, monkeypatch):
    """Printed (up to 12 steps a time, few and many rows) and released with fresh noise."""
    cases = itertools.product(("printed", "released"), (0.5, np.inf), (12, 400), (1, 6))
    for preset, epsilon, d, sparsity in cases:
        setting = SparseSetting(
            d=d, sparsity=sparsity, preset=preset, rho=rho, peeling_noise="fresh", steps_factor=0.5
        )
        streams = streams_for("fliphat", setting, epsilon, 3000, range(2))
        compiled = simulate_with("lazy", setting, epsilon, 3000, streams, AT)
        with monkeypatch.context() as patch:
            patch.setattr(LazyRows, "descend", plain_descent)
            plain = simulate_with("lazy", setting, epsilon, 3000, streams, AT)
        np.testing.assert_allclose(compiled.regret, plain.regret, rtol=1e-9)
        for name, curve in plain.curves.items():
            np.testing.assert_allclose(compiled.curves[name], curve, rtol=1e-7, atol=1e-10)
