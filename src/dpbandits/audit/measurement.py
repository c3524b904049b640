"""A library's own promise: the exact law of its measurement beside what it declares.

    dpbandits audit --measurement opendp:noisy_max --set scale=1 measure=zcdp

The law is that of the library's documentation; where that has two, draws tell which one the
installed release samples. Declared is the answer of its privacy map at `d_in`. The true loss lies
between that of pairs of inputs that were found and a theorem on all inputs:

noisy_max, noisy_top_k  Noise is exponential (permute-and-flip) or Gumbel (the exponential
    mechanism); the movements of two scores differ by at most eta scales, eta = 2 d_in/scale, or
    d_in/scale if `monotonic`. The pure loss is at most eta; D_alpha of Gumbel noise at most alpha
    eta^2/8 (Cesar and Rogers 2021), of exponential noise at most that of randomised response. Both
    add up over the selections of noisy_top_k.
laplace, geometric  P(k) is proportional to e^(-|k|/scale). At and below one centre, and at and
    above the other, the ratio is constant: each tail is one outcome, in closed form. With `bounds`
    outputs are clipped, and the chance of a step is rounded: a ball.
randomized_response  The truth with probability `prob`, else one of the others.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from importlib import metadata
from itertools import permutations
from typing import Annotated, Literal

from flint import arb
from pydantic import Field, field_validator

from dpbandits.audit.balls import (
    ball,
    delta_at,
    highest,
    lower,
    max_divergence,
    precision,
    pure_loss,
    upper,
)
from dpbandits.audit.blackbox import clopper_pearson
from dpbandits.audit.renyi import BITS, divergence, largest_rho, loss_of, response, rho
from dpbandits.audit.rnm import gumbel_delta
from dpbandits.audit.selection import selection_probabilities
from dpbandits.core.errors import InputError, entry_of, nearest
from dpbandits.core.mechanisms import json_number
from dpbandits.core.models import Model

Measure = Literal["pure", "zcdp", "approximate"]
Laws = tuple[Sequence[arb], Sequence[arb]]  # of one input and of a neighbour
ALPHAS = (1.0625, 1.25, 1.5, 2, 3, 5, 9, 17, 33, 65)  # at which the rho of found pairs is sought
DRAWS, LAW_ERROR = 4000, 1e-9
Scale = Annotated[float, Field(ge=1e-3, le=1e6, description="scale of the noise")]
Distance = Annotated[int, Field(ge=1, le=1000, description="how far a neighbour's value may move")]
About = "epsilon, for measure=approximate; left out: half the pure loss"


class Noise(Model):
    scale: Scale
    d_in: Distance = 1
    measure: Measure = Field("pure", description="measure of privacy")
    epsilon: float | None = Field(None, ge=0, le=100, description=About)


class Selection(Noise):
    arms: int = Field(3, ge=2, le=5, description="number of scores")
    monotonic: bool = Field(False, description="all scores move the same way")
    top: int = Field(1, ge=1, le=3, description="k of noisy_top_k")


class Geometric(Noise):
    bounds: list[int] | None = Field(None, description="e.g. [0,5]; outputs are clipped to them")

    @field_validator("bounds", mode="before")
    @classmethod
    def _from_json(cls, value):
        ends = value.strip("[]").split(",") if isinstance(value, str) else value
        if ends is not None and (len(ends) != 2 or int(ends[0]) >= int(ends[1])):
            raise ValueError("allowed: two whole numbers that rise, e.g. [0,5]")
        if ends is not None and int(ends[1]) - int(ends[0]) > 500:
            raise ValueError("allowed: at most 500 apart")
        return ends


class Response(Model):
    prob: float = Field(gt=0, lt=1, description="chance of the truth; at least 1/categories")
    categories: int = Field(2, ge=2, le=1000, description="number of answers")


@dataclass(frozen=True)
class Promise:
    """declared by the library, and the bounds of the true loss; `verdict` is on the declaration."""

    measurement: str
    release: str
    law: str
    measure: Measure
    at_epsilon: float | None
    declared: float
    true_at_least: float
    true_at_most: float
    where: dict
    verdict: Literal["holds", "violated", "open"]

    def as_json(self) -> dict:
        numbers = ("declared", "true_at_least", "true_at_most")
        proof = {"certificate": self.certificate()} if self._certified() else {}
        return asdict(self) | {key: json_number(getattr(self, key)) for key in numbers} | proof

    def _certified(self) -> bool:
        single = {"scores", "noise"} <= set(self.where)
        return self.verdict == "violated" and single and self.measure != "approximate"

    def certificate(self) -> dict:
        """The content of a file LIBRARY.json that certificates/check.py proves from the law alone:
        a promise on noisy max, pure or zCDP, that fails."""
        w, alpha = self.where, self.where.get("alpha", 0)
        if not self._certified():
            raise InputError(
                "certificate: allowed: of a violated promise on noisy max, pure or zcdp"
            )
        declared, order = Fraction(self.declared), Fraction(alpha)
        pair = [w["scores"], w["neighbour"]]
        with precision(BITS):
            laws = [selection_probabilities(scores, w["scale"], w["noise"]) for scores in pair]
            if alpha:
                left, right = divergence(loss_of(*laws), alpha), ball(order * declared)
            else:
                left, right = max_divergence(*laws), ball(declared)
            ends = {"left": _ends(left), "right": _ends(right)}
        return {
            "claim": "LIBRARY",
            "reading": "printed",
            "theorem": "LIBRARY",
            "statement": f"{self.release}, {self.measurement}: the map declares {self.declared:g} "
            f"({self.measure}) at d_in = {w['d_in']}, scale = {w['scale']:g}",
            "fails": "D_alpha <= alpha rho" if alpha else "ln(P/Q) <= epsilon",
            "step": f"the law is that of {self.law}",
            "noise": w["noise"],
            "data": [str(x) for x in w["scores"]],
            "neighbour": [str(x) for x in w["neighbour"]],
            "given": {
                "scale": str(Fraction(w["scale"])),
                "d_in": str(w["d_in"]),
                "alpha": str(order),
                "declared": str(declared),
            },
            "enclosures": ends,
        }


def _ends(x: arb) -> list[str]:
    """A slightly wider enclosure in decimals."""
    return [f"{lower(x) - 1e-13 * abs(lower(x)):.17g}", f"{upper(x) + 1e-13 * upper(x):.17g}"]


def audit_measurement(name: str, keys: dict, *, typed: bool = False) -> Promise:
    """The promise of LIBRARY:MEASUREMENT beside its law; typed: as in `core.models.parse`."""
    from dpbandits.core.models import parse

    params_model, compute = _entry(name)
    params = parse(params_model, keys, f"audit --measurement {name}", typed=typed)
    with precision(BITS):
        return compute(name, params)


def keys_model(name: str) -> type[Model]:
    return _entry(name)[0]


def _entry(name: str):
    library, _, measurement = name.partition(":")
    if library != "opendp":
        hint = "; for others write a function: audit --function package.module:name"
        raise InputError(f"--measurement {name}: {nearest(library, ['opendp'])}{hint}")
    unknown = f"--measurement {name}: unknown measurement"
    return entry_of(measurement, OPENDP, unknown, "")


# Verdicts
def _promise(name: str, p, law: str, declared: float, low: arb, high: arb, **where) -> Promise:
    measure = getattr(p, "measure", "pure")
    at = _epsilon(p) if measure == "approximate" else None
    bound = arb.pos_inf() if math.isinf(declared) else ball(Fraction(declared))
    verdict = "violated" if low > bound else "holds" if high <= bound else "open"
    release = f"opendp {metadata.version('opendp')}"
    least, most = max(0.0, lower(low)), upper(high)
    return Promise(name, release, law, measure, at, declared, least, most, where, verdict)


def _loss(laws: Laws, measure: Measure, epsilon: float) -> arb:
    if measure == "pure":
        return pure_loss(*laws)
    return rho(*laws) if measure == "zcdp" else delta_at(*laws, epsilon)


def _found(laws: Laws, measure: Measure, epsilon: float) -> arb:
    """As `_loss`, but of rho only a lower bound, in one direction."""
    if measure == "pure":
        return max_divergence(*laws)
    if measure == "approximate":
        return _loss(laws, measure, epsilon)
    return _best_order(laws)[0]


def _best_order(laws: Laws) -> tuple[arb, float]:
    """(the largest D_alpha/alpha of P against Q over some alphas, that alpha)."""
    loss = loss_of(*laws)
    return max(
        ((divergence(loss, alpha) / alpha, alpha) for alpha in ALPHAS), key=lambda x: float(x[0])
    )


# OpenDP
def _opendp():
    try:
        import opendp.prelude as dp
    except ImportError:
        raise InputError(
            "audit --measurement: needs OpenDP; install it with `pip install dpbandits[exact]`"
        ) from None
    dp.enable_features("contrib")
    return dp


def _in_measure(measurement, measure: Measure):
    """A measurement of any measure, cast to zCDP or to a curve of (epsilon, delta)."""
    dp = _opendp()
    if measure == "pure":
        return measurement
    if "MaxDivergence" in str(measurement.output_measure):
        measurement = dp.c.make_pureDP_to_zCDP(measurement)
    return measurement if measure == "zcdp" else dp.c.make_zCDP_to_approxDP(measurement)


def _declared(measurement, p: Noise) -> float:
    answer = measurement.map(p.d_in)
    return float(answer.delta(_epsilon(p)) if p.measure == "approximate" else answer)


def _epsilon(p: Noise) -> float:
    half = p.d_in / p.scale / (1 if getattr(p, "monotonic", True) else 0.5) / 2
    return p.epsilon if p.epsilon is not None else half


# Noisy max and top k
def _selection(p: Selection, top: int | None = None):
    dp = _opendp()
    metric = dp.linf_distance(T="i64", monotonic=p.monotonic)
    space = dp.vector_domain(dp.atom_domain(T="i64")), metric
    pure = p.measure == "pure"
    measure = dp.max_divergence() if pure else dp.zero_concentrated_divergence()
    if top is None:
        return dp.m.make_noisy_max(*space, measure, scale=p.scale)
    return dp.m.make_noisy_top_k(*space, measure, k=top, scale=p.scale)


@cache
def noise_sampled(pure: bool, top: bool) -> str:
    """Which of the two laws noisy max draws from: the other is refuted at LAW_ERROR."""
    measure: Measure = "pure" if pure else "zcdp"
    select = _selection(Selection(scale=1.0, measure=measure), 1 if top else None)
    hits = sum(select([1, 0]) in (0, [0]) for _ in range(DRAWS))
    low, high = clopper_pearson(hits, DRAWS, LAW_ERROR / 2)
    laws = ("exponential", "gumbel")
    left = [n for n in laws if low <= float(selection_probabilities([1, 0], 1, n)[0]) <= high]
    if len(left) != 1:
        raise InputError(
            f"audit --measurement: the best of two scores won {hits} of {DRAWS} draws: this is "
            "not one of the two documented laws"
        )
    return left[0]


def _peeled(scores: Sequence[int], p: Selection, noise: str) -> list[arb]:
    """The law of the `top` best, the best first."""

    @cache
    def wins(left: tuple[int, ...]) -> list[arb]:
        shifted = [scores[i] - min(scores[j] for j in left) for i in left]
        return selection_probabilities(shifted, p.scale, noise)

    law = []
    for order in permutations(range(len(scores)), min(p.top, len(scores))):
        chance, left = arb(1), tuple(range(len(scores)))
        for i in order:
            chance *= wins(left)[left.index(i)]
            left = tuple(j for j in left if j != i)
        law.append(chance)
    return law


def _score_pairs(p: Selection):
    """Pairs of scores of two levels, from equal ones to one far behind."""
    move = p.d_in if p.monotonic else 2 * p.d_in
    far = math.ceil(40 * p.scale) + move  # the last lets the pure loss reach its limit
    near = sorted({round(move / 2 + x * p.scale) for x in (-2, -1, -0.5, 0, 0.5, 1, 2)})
    for gap in (*near, -far):
        for m in sorted({1, p.arms - 1}):
            if p.monotonic:
                before, after = (gap, 0), (gap - move, 0)
            else:
                before, after = (gap, 0), (gap - p.d_in, p.d_in)
            yield tuple([x] * m + [y] * (p.arms - m) for x, y in (before, after))


def _noisy_max(name: str, p: Selection) -> Promise:
    top = p.top if name.endswith("noisy_top_k") else None
    if top is None and p.top > 1:
        raise InputError(f"audit --measurement {name}: top = {p.top}: allowed with noisy_top_k")
    if p.top > 1 and p.measure == "approximate":
        raise InputError(f"audit --measurement {name}: top = {p.top}: allowed: measure pure, zcdp")
    if p.top >= p.arms:
        raise InputError(f"audit --measurement {name}: top = {p.top}: allowed: fewer than arms")
    noise = noise_sampled(p.measure == "pure", top is not None)
    declared = _declared(_in_measure(_selection(p, top), p.measure), p)
    eta = ball(Fraction((1 if p.monotonic else 2) * p.d_in) / Fraction(p.scale))
    best, where = arb(0), {}
    both_ways = (ordered for pair in _score_pairs(p) for ordered in (pair, pair[::-1]))
    for pair in both_ways:
        laws = tuple(_peeled(scores, p, noise) for scores in pair)
        if p.measure == "zcdp":
            loss, alpha = _best_order(laws)
        else:
            loss, alpha = _found(laws, p.measure, _epsilon(p)), 0
        if loss > best:
            best, where = loss, dict(zip(("scores", "neighbour"), pair, strict=True))
            where |= {"alpha": alpha} if alpha else {}
            where |= {"noise": noise, "scale": p.scale, "d_in": p.d_in} if p.top == 1 else {}
    return _promise(
        name, p, NOISES[noise], declared, best, p.top * _selection_bound(p, eta, noise), **where
    )


NOISES = {
    "exponential": "exponential noise: permute-and-flip",
    "gumbel": "Gumbel noise: the exponential mechanism",
}


def _selection_bound(p: Selection, eta: arb, noise: str) -> arb:
    """The theorem on one selection, for all scores."""
    if p.measure == "pure":
        return eta
    if p.measure == "zcdp":
        return eta**2 / 8 if noise == "gumbel" else largest_rho([loss_of(*response(eta))])[0]
    if noise == "gumbel":
        return gumbel_delta(eta, _epsilon(p))
    return delta_at(*response(eta), _epsilon(p))


# Laplace and geometric noise on a whole number
def two_tails(q: arb, d: int) -> Laws:
    """The laws at 0 and at d: outcomes at most 0, 1, .., d - 1, at least d."""

    def law(centre: int) -> list[arb]:
        inner = [(1 - q) / (1 + q) * q ** abs(k - centre) for k in range(1, d)]
        below = 1 / (1 + q) if centre == 0 else q**d / (1 + q)
        above = q**d / (1 + q) if centre == 0 else 1 / (1 + q)
        return [below, *inner, above]

    return law(0), law(d)


def clipped(q: arb, centre: int, low: int, high: int) -> list[arb]:
    """The law of centre + noise, both clipped to [low, high]."""
    centre = min(max(centre, low), high)
    inner = [(1 - q) / (1 + q) * q ** abs(k - centre) for k in range(low + 1, high)]
    ends = [q ** (centre - low) / (1 + q), q ** (high - centre) / (1 + q)]
    return [ends[0], *inner, ends[1]]


def _noise(name: str, p: Noise) -> Promise:
    dp = _opendp()
    bounds = getattr(p, "bounds", None)
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    make = dp.m.make_laplace if name.endswith("laplace") else dp.m.make_geometric
    extra = {"bounds": tuple(bounds)} if bounds else {}
    declared = _declared(_in_measure(make(*space, scale=p.scale, **extra), p.measure), p)
    q = (-1 / ball(Fraction(p.scale))).exp()
    law = "P(k) proportional to e^(-|k|/scale)"
    if not bounds:
        loss, above = _of_two_tails(q, p)
        return _promise(name, p, law, declared, loss, above, outputs="both tails")
    low, high = bounds
    pairs = [(x, min(x + p.d_in, high)) for x in range(low, high)]
    # its chance of a step is rounded up, so that q is at most this ball's upper end
    rounded = arb(q.mid(), 2.0**-52).max(q)
    laws = [tuple(clipped(rounded, x, low, high) for x in pair) for pair in pairs]
    both_ways = (ordered for pair in laws for ordered in (pair, pair[::-1]))
    found = highest(_found(pair, p.measure, _epsilon(p)) for pair in both_ways)
    return _promise(name, p, f"{law}, clipped", declared, found, _of_two_tails(q, p)[1])


def _of_two_tails(q: arb, p: Noise) -> tuple[arb, arb]:
    """(the loss without clipping, an upper bound of it)."""
    exact = p.d_in / ball(Fraction(p.scale))
    if p.measure == "pure":
        return exact, exact
    loss = _loss(two_tails(q, p.d_in), p.measure, _epsilon(p))
    return loss, loss.min(exact**2 / 2) if p.measure == "zcdp" else loss  # Bun and Steinke 2016


# Randomised response
def _response(name: str, p: Response) -> Promise:
    dp = _opendp()
    boolean = name.endswith("_bool")
    if boolean and p.categories != 2:
        raise InputError(f"audit --measurement {name}: categories = {p.categories}: allowed: 2")
    if p.prob < 1 / p.categories:
        raise InputError(f"audit --measurement {name}: prob = {p.prob:g}: allowed: at least 1/k")
    if boolean:
        measurement = dp.m.make_randomized_response_bool(p.prob)
    else:
        answers = [f"answer {i}" for i in range(p.categories)]
        measurement = dp.m.make_randomized_response(answers, p.prob)
    ratio = Fraction(p.prob) * (p.categories - 1) / (1 - Fraction(p.prob))
    loss = abs(ball(ratio).log())
    law = "the truth with probability prob, else one of the others"
    declared = float(measurement.map(1))
    return _promise(name, p, law, declared, loss, loss, outputs="the truth")


OPENDP: dict[str, tuple[type[Model], Callable[[str, Model], Promise]]] = {
    "noisy_max": (Selection, _noisy_max),
    "noisy_top_k": (Selection, _noisy_max),
    "laplace": (Noise, _noise),
    "geometric": (Geometric, _noise),
    "randomized_response": (Response, _response),
    "randomized_response_bool": (Response, _response),
}
