"""Certificates of refuted rows: exact parameters as text, and enclosures from ball arithmetic.

certificates/check.py reads their files, ID.json, and shares no code with this package; see
docs/trust.md.
"""

import ast
import json
import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from flint import arb, ctx, fmpq

from dpbandits.reproduction.ledger.verdicts import certificate_path

DIGITS = 15  # of an enclosure's ends
BITS = 192  # precision of the balls


def text(x):
    """Exact numbers as text in lowest terms, also inside lists and dicts."""
    if isinstance(x, dict):
        return {key: text(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [text(value) for value in x]
    if isinstance(x, float):
        raise TypeError("a certificate holds exact numbers only")
    return str(Fraction(x))


def enclosure(ball: arb) -> list[str]:
    """[low, high] in decimals, rounded outwards."""
    return [_decimal(ball.lower(), ROUND_FLOOR), _decimal(ball.upper(), ROUND_CEILING)]


def _decimal(x: arb, rounding: str) -> str:
    mantissa, exponent = (int(part) for part in x.man_exp())
    exact = Fraction(mantissa) * Fraction(2) ** exponent
    context = Context(prec=DIGITS, rounding=rounding)
    return str(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


def promise(p: arb, q: arb, epsilon: arb, delta: arb) -> dict[str, list[str]]:
    """Enclosures of the probabilities P and Q of an event on two neighbours, and of both sides of
    the privacy inequality that they violate: ln(P/Q) <= epsilon, or P - e^epsilon Q <= delta."""
    p, q, epsilon, delta = (arb(x) for x in (p, q, epsilon, delta))
    pure = delta == 0 and q > 0
    left, right = ((p / q).log(), epsilon) if pure else (p - epsilon.exp() * q, delta)
    sides = {"P": p, "Q": q, "epsilon": epsilon, "delta": delta, "left": left, "right": right}
    return {name: enclosure(x) for name, x in sides.items()}


def certificate(theorem: str, *, fails: str, step="", given: dict, enclosures: dict, **parts):
    """The content of Verdict.certificate but for the row's names, which ledger.claims adds, and for
    the step of the proof, if it is the row's.
    theorem: a verifier of check.py. parts: further keys (data, neighbour, event, ...)."""
    head = {"theorem": theorem, "fails": fails, "step": step, "given": text(given)}
    return head | parts | {"enclosures": enclosures}


def inequality(theorem: str, fails: str, step: str, given: dict, python: str, **data) -> dict:
    """The certificate of a false inequality; the code `python` computes its `left` and `right`.
    The code is run on balls here, with exact ratios of whole numbers, and sees the data sets, if
    there are any. It is part of the certificate, so that a reader can run it in floating point."""
    with ctx.workprec(BITS):
        sides = {name: enclosure(x) for name, x in both_sides(given | data, python).items()}
    lines = {"python": python.strip().splitlines()}
    return certificate(
        theorem, fails=fails, step=step, given=given, enclosures=sides, **data, **lines
    )


def both_sides(given: dict, python: str) -> dict[str, arb]:
    """The balls `left` and `right` that the code computes from exact parameters."""
    names = FUNCTIONS | {"pi": arb.pi()} | {name: _rationals(x) for name, x in given.items()}
    tree = ast.fix_missing_locations(Exact().visit(ast.parse(python)))
    exec(compile(tree, "<certificate>", "exec"), names)
    return {name: arb(names[name]) for name in ("left", "right")}


class Exact(ast.NodeTransformer):
    """Makes every division of whole numbers exact, as 1/3; refuses floats."""

    def visit_Constant(self, node):
        if isinstance(node.value, float):
            raise ValueError(f"a float in a certificate: {node.value}; allowed: whole numbers, 1/3")
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.left = ast.Call(ast.Name("exact", ast.Load()), [node.left], [])
        return node


def _exact(x):
    return fmpq(x) if isinstance(x, int) else x


FUNCTIONS = {
    "exact": _exact,
    "exp": lambda x: arb(x).exp(),
    "log": lambda x: arb(x).log(),
    "sqrt": lambda x: arb(x).sqrt(),
    "comb": math.comb,
}


def _rationals(x):
    if isinstance(x, list | tuple):
        return [_rationals(y) for y in x]
    return fmpq(Fraction(x).numerator, Fraction(x).denominator)


def contents(certificates: Iterable[dict[str, Any]]) -> dict[str, bytes]:
    """What each file has, by name."""
    paths = {certificate_path(made["claim"], made["reading"]): made for made in certificates}
    return {Path(path).name: as_json(made).encode() for path, made in paths.items()}


def as_json(certificate: dict[str, Any]) -> str:
    """A certificate as JSON for people: one line per key, and per record of the data sets."""
    parts = [f"{json.dumps(key)}: {_part(value)}" for key, value in certificate.items()]
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _part(value: Any) -> str:
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(x)}" for key, x in value.items()]
        return "{\n    " + ",\n    ".join(lines) + "\n  }"
    if isinstance(value, list) and len(value) > 1:
        return "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
    return json.dumps(value, ensure_ascii=False)
