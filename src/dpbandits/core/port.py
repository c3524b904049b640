"""Noise ports: how every private quantity leaves an algorithm.

An algorithm calls `noise.laplace(value, scale)` where its paper adds noise, so that the same lines
are simulated (`SimulatedNoise`), deployed (`ExactNoise`) and audited (a recorder with these
methods). Randomness that hides no data, e.g. a first arm at random or the Beta draws of Thompson
sampling, comes from a NumPy generator of the algorithm instead.

Exact noise is drawn by OpenDP on integers: a released quantity is a whole number of steps of a
grid, and its noise is discrete (Ghosh, Roughgarden and Sundararajan 2009; Canonne, Kamath and
Steinke 2020). With floating-point noise the last digits of a release give the data away (Mironov
2012). What the grid changes in the proofs: docs/proofs/HU.md and FL.md, "Discrete noise".
"""

import math
import secrets
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np

from dpbandits.core.errors import InputError

Law = Literal["laplace", "exponential", "gumbel"]

REWARD_GRID = 2.0**-20  # rewards of bandits are rounded to it: sums of 2^33 of them are exact
FINENESS = 2.0**-12  # largest step of the grid for other quantities, over their sensitivity
MARGIN = 2 * FINENESS  # more noise for them, relatively: one step for rounding them to the grid,
# one for the floating-point errors before that, which have to be below half a step
LARGEST = {True: 2.0**53, False: 2.0**48}  # steps of a given grid, or of one chosen here: values
# are clipped there, which lengthens no distance; larger ones have floating-point errors of their
# own beyond the margin, and a refusal would show that a value was large


class NoisePort(Protocol):
    """The methods of all ports; a value is a number or an array.

    sensitivity: how far one record may move a value, or each entry of an array; noise does not
    depend on it (but the grid of exact noise does). name: what is released, for a recorder.
    """

    def laplace(self, value, scale: float, *, sensitivity: float = 1, name: str = ""):
        """value + Lap(scale), independent for each entry."""

    def gaussian(self, value, scale: float, *, sensitivity: float = 1, name: str = ""):
        """value + N(0, scale^2), independent for each entry."""

    def argmax(
        self, scores, scale: float, law: Law = "laplace", *, count: int | None = None,
        sensitivity: float = 1, name: str = "",
    ):  # fmt: skip
        """The index of the largest score + noise, the first of equals: Lap(scale), exponential with
        mean `scale` (permute-and-flip) or Gumbel(scale) (the exponential mechanism).

        With `count`: the indices of the `count` largest, the largest first. A score of -inf is
        never chosen.
        """

    def exponential_mechanism(
        self, scores, scale: float, *, sensitivity: float = 1, name: str = ""
    ):
        """An index, with probability proportional to exp(score/scale). Of a matrix an index for
        each row, only one of which may be shown."""

    def bernoulli(self, p, *, name: str = ""):
        """True with probability p, independent for each entry: an answer that a coin hides. Its
        probability may depend on the data, and says what one answer gives away."""


class SimulatedNoise:
    """Noise in floating point from a NumPy generator, for simulations: not for real data."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        return value + self.rng.laplace(scale=scale, size=_shape(value))

    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        return value + self.rng.normal(scale=scale, size=_shape(value))

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=1, name=""):
        draw = getattr(self.rng, law)
        return first_largest(scores + draw(scale=scale, size=len(scores)), count)

    def exponential_mechanism(self, scores, scale, *, sensitivity=1, name=""):
        return by_row(lambda row: self.argmax(row, scale, "gumbel"), scores)

    def bernoulli(self, p, *, name=""):
        return self.rng.random(_shape(p)) < p


class ExactNoise:
    """Discrete noise of OpenDP, from the system's randomness.

    grid: all values are whole multiples of it, a power of two, so that nothing is rounded here;
    with None a value is rounded to a grid of at most FINENESS of its sensitivity, and its noise is
    larger by MARGIN to pay for it.
    """

    def __init__(self, grid: float | None = None):
        self.grid = grid
        opendp()  # refuses at once where it is missing

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        return self._noisy(_laplace, value, scale, sensitivity)

    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        return self._noisy(_gaussian, value, scale, sensitivity)

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=1, name=""):
        scores = np.asarray(scores, float)
        allowed = np.flatnonzero(scores > -np.inf)
        if scale == 0 or law == "laplace":
            noisy = np.full(len(scores), -np.inf)
            noisy[allowed] = self.laplace(scores[allowed], scale, sensitivity=sensitivity)
            return first_largest(noisy, count)
        steps, scale, _ = self._in_steps(scores[allowed], scale, sensitivity)
        chosen = allowed[_noisy_top(law, scale, count or 1)(steps.tolist())]
        return chosen if count else int(chosen[0])

    def exponential_mechanism(self, scores, scale, *, sensitivity=1, name=""):
        return by_row(lambda x: self.argmax(x, scale, "gumbel", sensitivity=sensitivity), scores)

    def bernoulli(self, p, *, name=""):
        if np.ndim(p):
            return np.array([self.bernoulli(x) for x in np.ravel(p)]).reshape(np.shape(p))
        numerator, denominator = float(min(max(p, 0), 1)).as_integer_ratio()
        return secrets.randbelow(denominator) < numerator

    def _noisy(self, law, value, scale, sensitivity):
        if scale == 0:
            return value
        steps, scale, step = self._in_steps(np.asarray(value, float), scale, sensitivity)
        noisy = np.array(law(scale)(steps.ravel().tolist()), float).reshape(steps.shape) * step
        return noisy if noisy.shape else float(noisy)

    def _in_steps(self, value, scale, sensitivity):
        """(value, scale) in steps of the grid, and the step; scales are rounded up."""
        if self.grid:
            step = self.grid
            if np.any(value % step):
                raise ValueError(f"a value is not a multiple of the grid {step}")
        else:
            step = 2.0 ** math.floor(math.log2(sensitivity * FINENESS))
            scale = math.nextafter(scale * (1 + MARGIN), math.inf)
        most = LARGEST[bool(self.grid)]
        steps = np.clip(np.rint(value / step), -most, most)
        return steps.astype(np.int64), math.nextafter(scale, math.inf) / step, step


class CommittedNoise:
    """The port of a learner in a store. once(draw): the value of `draw()`, committed before it is
    returned, or what was drawn in its place before."""

    def __init__(self, port: NoisePort, once: Callable[[Callable[[], Any]], Any]):
        self.port, self.once = port, once

    def __getattr__(self, method: str):
        draw = getattr(self.port, method)
        return lambda *values, **options: self.once(lambda: draw(*values, **options))


def first_largest(noisy: np.ndarray, count: int | None):
    """The index of the largest entry, or the indices of the `count` largest."""
    if count is None:
        return int(np.argmax(noisy))
    return np.argsort(-noisy, kind="stable")[:count]


def by_row(choose, scores):
    """`choose(scores)`, or that of each row of a matrix."""
    return choose(scores) if np.ndim(scores) == 1 else np.array([choose(row) for row in scores])


def _shape(value):
    return np.shape(value) or None


@lru_cache
def opendp():
    """The modules of OpenDP: (measurements, domains, metrics, measures)."""
    try:
        from opendp import domains, measurements, measures, metrics
        from opendp.mod import enable_features
    except ImportError:
        raise InputError("noise = exact: needs OpenDP: pip install opendp") from None
    enable_features("contrib")
    return measurements, domains, metrics, measures


@lru_cache(maxsize=256)
def _laplace(scale: float):
    """Discrete Laplace noise on a list of integers: P(k) proportional to exp(-|k|/scale)."""
    measurements, domains, metrics, _ = opendp()
    space = domains.vector_domain(domains.atom_domain(T="i64")), metrics.l1_distance(T="i64")
    return measurements.make_laplace(*space, scale=scale)


@lru_cache(maxsize=256)
def _gaussian(scale: float):
    """Discrete Gaussian noise on a list of integers: P(k) prop. to exp(-k^2/(2 scale^2))."""
    measurements, domains, metrics, _ = opendp()
    space = domains.vector_domain(domains.atom_domain(T="i64")), metrics.l2_distance(T="f64")
    return measurements.make_gaussian(*space, scale=scale)


@lru_cache(maxsize=256)
def _noisy_top(law: Law, scale: float, count: int):
    """The indices of the largest of noisy integers: exponential noise under OpenDP's pure measure,
    Gumbel noise under its zCDP (a test compares both with their laws)."""
    measurements, domains, metrics, measures = opendp()
    measure = {
        "exponential": measures.max_divergence,
        "gumbel": measures.zero_concentrated_divergence,
    }[law]()
    space = domains.vector_domain(domains.atom_domain(T="i64")), metrics.linf_distance(T="i64")
    return measurements.make_noisy_top_k(*space, measure, k=count, scale=scale)
