"""Generators in compiled code against NumPy's own: the same bits, and the same place after it."""

import numpy as np
import pytest

from dpbandits.core import generators
from dpbandits.core.compiled import jit
from dpbandits.core.generators import FEW, borrowed, normals
from dpbandits.core.source import BLOCK

DRAWS = 20_000  # some 5000 of each kind: every branch but the rarest tails, which a part is for


@jit
def _drawn(fast, out):
    for i in range(len(out)):
        if i % 4 == 0:
            out[i] = fast.standard_normal()
        elif i % 4 == 1:
            out[i] = fast.random()
        elif i % 4 == 2:
            out[i] = fast.standard_exponential()
        else:
            out[i] = fast.chisquare(0.5 + i % 7)  # gammas below and above shape 1
    return fast.standard_normal(3)


@pytest.mark.parametrize("kind", [np.random.SFC64, np.random.Philox])
def test_borrowed_draws_are_those_of_the_generator(kind):
    rng, plain = np.random.Generator(kind(5)), np.random.Generator(kind(5))
    for count in (0, 1, 2, 3, 5, BLOCK - 3, BLOCK - 2, DRAWS):
        draws = (
            plain.standard_normal, plain.random, plain.standard_exponential, plain.chisquare
        )  # fmt: skip
        expected = [draws[i % 4](*[0.5 + i % 7] * (i % 4 == 3)) for i in range(count)]
        out = np.empty(count)
        with borrowed(rng) as fast:
            three = _drawn(fast, out)
        assert list(out) == expected
        assert list(three) == list(plain.standard_normal(3))
        assert rng.integers(1000, size=5).tolist() == plain.integers(1000, size=5).tolist()


@pytest.mark.parametrize("kind", [np.random.SFC64, np.random.Philox])
def test_many_normals_are_those_of_the_generator(kind):
    """Half a million meet the wedges and the tails of the ziggurat."""
    rng, plain = np.random.Generator(kind(6)), np.random.Generator(kind(6))
    for shape in ((3,), (FEW - 1,), (FEW, 1), (500, 1000)):
        assert (normals(rng, shape) == plain.standard_normal(shape)).all()
        assert rng.random() == plain.random()


def test_a_generator_is_lent_once_at_a_time():
    rng = np.random.Generator(np.random.SFC64(7))
    with borrowed(rng), pytest.raises(RuntimeError, match="lent already"), borrowed(rng):
        pass
    with borrowed(rng):
        pass


def test_a_generator_of_another_kind_is_lent_itself():
    rng, plain = np.random.default_rng(8), np.random.default_rng(8)
    with borrowed(rng) as fast:
        assert fast is rng
    assert (normals(rng, (FEW,)) == plain.standard_normal(FEW)).all()


@pytest.mark.parametrize("kind", [np.random.SFC64, np.random.Philox])
def test_a_state_kept_elsewhere_than_we_think_is_left_alone(kind, monkeypatch):
    """As by another NumPy: the first word that is not the expected one settles it."""
    understood = generators._understood.__wrapped__
    assert understood(kind)
    right = generators._one
    monkeypatch.setattr(generators, "_one", lambda source: right(source) ^ np.uint64(1))
    assert not understood(kind)
    monkeypatch.setattr(generators, "_understood", understood)
    rng, plain = np.random.Generator(kind(8)), np.random.Generator(kind(8))
    with borrowed(rng) as fast:
        assert fast is rng
    assert (normals(rng, (FEW,)) == plain.standard_normal(FEW)).all()
