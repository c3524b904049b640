"""Piecewise exponential polynomials on the line: sums, products and integrals of Laplace densities.

A piece is {k: polynomial p_k}, meaning sum_k p_k(x) e^{kx} with integer k. All coefficients are
balls. Breakpoints whose order the balls cannot tell count as equal.
"""

from dataclasses import dataclass

from flint import arb, arb_poly

Piece = dict[int, arb_poly]


@dataclass(frozen=True)
class Piecewise:
    breaks: list[arb]  # rising
    pieces: list[Piece]  # one more than breaks

    def _combined(self, other: "Piecewise", operation) -> "Piecewise":
        """An operation of two pieces, applied between all breakpoints of both."""
        breaks, pieces, i, j = [], [], 0, 0
        while True:
            pieces.append(operation(self.pieces[i], other.pieces[j]))
            if i == len(self.breaks) and j == len(other.breaks):
                return Piecewise(breaks, pieces)
            a = self.breaks[i] if i < len(self.breaks) else arb.pos_inf()
            b = other.breaks[j] if j < len(other.breaks) else arb.pos_inf()
            breaks.append(a if a < b else b)
            i, j = i + (not a > b), j + (not a < b)

    def __mul__(self, other: "Piecewise") -> "Piecewise":
        return self._combined(other, _product)

    def __sub__(self, other: "Piecewise") -> "Piecewise":
        return self._combined(other, lambda p, q: _sum(p, {k: -x for k, x in q.items()}))

    def shifted(self, by: arb) -> "Piecewise":
        """x -> self(x + by)."""
        move = arb_poly([by, 1])
        pieces = [{k: p(move) * (k * by).exp() for k, p in piece.items()} for piece in self.pieces]
        return Piecewise([b - by for b in self.breaks], pieces)

    def primitive(self) -> "Piecewise":
        """x -> int_{-inf}^x self; the first piece must vanish at -inf."""
        pieces = [_primitive(self.pieces[0])]
        for at, piece in zip(self.breaks, self.pieces[1:], strict=True):
            rising = _primitive(piece)
            jump = _value(pieces[-1], at) - _value(rising, at)
            pieces.append(_sum(rising, {0: arb_poly([jump])}))
        return Piecewise(self.breaks, pieces)

    def total(self) -> arb:
        """The integral over the line; the last piece must vanish at +inf."""
        constant = self.primitive().pieces[-1].get(0, arb_poly([0]))
        return constant.coeffs()[0] if constant.coeffs() else arb(0)

    def window(self, low: arb | None, high: arb | None) -> "Piecewise":
        """x -> int_{x + low}^{x + high} self; None: without end."""
        mass = self.primitive()
        up = Piecewise([], [{0: arb_poly([self.total()])}]) if high is None else mass.shifted(high)
        return up if low is None else up - mass.shifted(low)


def laplace_density(centre: arb, rate: int) -> Piecewise:
    """Density of centre + Lap(1/rate)."""
    below = {rate: arb_poly([rate * (-rate * centre).exp() / 2])}
    above = {-rate: arb_poly([rate * (rate * centre).exp() / 2])}
    return Piecewise([centre], [below, above])


def _sum(a: Piece, b: Piece) -> Piece:
    return {k: a.get(k, arb_poly([0])) + b.get(k, arb_poly([0])) for k in a.keys() | b.keys()}


def _product(a: Piece, b: Piece) -> Piece:
    result: Piece = {}
    for i, p in a.items():
        for j, q in b.items():
            result[i + j] = result.get(i + j, arb_poly([0])) + p * q
    return result


def _value(piece: Piece, x: arb) -> arb:
    return sum((p(x) * (k * x).exp() for k, p in piece.items()), arb(0))


def _primitive(piece: Piece) -> Piece:
    """int p e^{kx} = e^{kx} (p/k - p'/k^2 + p''/k^3 - ..)."""
    result = {}
    for k, p in piece.items():
        if k == 0:
            result[0] = p.integral()
            continue
        total, term, factor = arb_poly([0]), p, arb(1) / k
        for _ in range(len(p.coeffs())):
            total, term, factor = total + term * factor, term.derivative(), -factor / k
        result[k] = total
    return result
