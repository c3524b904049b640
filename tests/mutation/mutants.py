"""Mutants: single realistic mistakes, found in the syntax tree and drawn at random.

A mutant replaces one expression or statement by another text. Each has a kind:

    arithmetic   an operator, a sign, an exponent           a + b -> a - b
    comparison   an order, a connective, a direction        a < b -> a <= b, max -> min
    constant     a number or a switch                       48 -> 24, True -> False
    dropped      a term or a factor                         a + b -> a
    index        a place or an end                          x[i] -> x[i + 1]
    verdict      a rule of the ledger, a claim or a proof   a condition, a verdict's word, a check
    seed         a coordinate of a random stream            child("noise", i) -> child(i)
    freshness    what makes a file old                      a condition, a hashed part

Texts, annotations and docstrings stay, and the numbers of drawings: they decide nothing.
"""

import ast
import copy
import random
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.MatMult: ast.Mult, ast.BitXor: ast.BitOr,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
ORDERS = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
PAIRS = (
    ("max", "min"), ("argmax", "argmin"), ("any", "all"), ("upper", "lower"), ("floor", "ceil"),
    ("maximum", "minimum"), ("expm1", "exp"), ("log1p", "log"), ("cdf", "sf"), ("idxmax", "idxmin"),
)  # fmt: skip
TURNED = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
STREAMS = {"key_of", "child", "streams_for", "Streams", "SeedSequence", "Philox", "generator"}
VERDICTS = {
    "holds": "consistent", "consistent": "holds", "violated": "rejected", "rejected": "violated",
    "proved": "violated", "open": "proved", "untestable": "holds", "certified": "exact",
    "exact": "statistical", "statistical": "exact", "bound": "certified", "proof": "statistical",
}  # fmt: skip
KINDS = (
    "arithmetic", "comparison", "constant", "dropped", "index", "verdict", "seed", "freshness",
)  # fmt: skip
JUDGES = re.compile(r"(claims|verdicts|ledger|counterexamples|certif)")
KEEPERS = re.compile(r"(provenance|publish|files|tables|archive|plan|jobs|compiled|resources)\.py$")
LOOKS = re.compile(r"(figures|drawing|plots|style|report/|looks)")
TYPES = {"Annotated", "Literal", "Callable", "list", "dict", "tuple", "set", "type", "Sequence"}
GUARDS = {"require_proof", "update", "check", "append"}


@dataclass(frozen=True)
class Mutant:
    file: str  # below the root, e.g. src/dpbandits/audit/rnm.py
    function: str
    line: int
    kind: str
    before: str
    after: str
    start: int  # of the replaced bytes
    end: int
    text: str  # the line where it starts

    @property
    def folder(self) -> str:
        parts = self.file.split("/")[2:]
        return parts[0] if len(parts) > 1 else "(top)"

    @property
    def name(self) -> tuple[str, ...]:
        """What the list of equivalent mutants knows it by: no line numbers."""
        return self.file, self.function, self.text, self.before, self.after

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str, source: bytes):
        self.file, self.source, self.found = file, source, []
        self.rows, self.lines = source.splitlines(), [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.names: list[str] = []

    # Walking: everything but annotations, decorators' texts and docstrings

    def _inside(self, node: ast.AST, parts: list) -> None:
        self.names.append(node.name)
        for part in parts:
            self.visit(part)
        self.names.pop()

    def visit_FunctionDef(self, node):
        defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
        self._inside(node, [*defaults, *node.body])

    def visit_ClassDef(self, node):
        self._inside(node, node.body)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        name = _called(node.value)
        if name in GUARDS:
            self._statement(node, "verdict" if name == "require_proof" else None)
        self.generic_visit(node)

    def visit_JoinedStr(self, node):
        return

    # Finding

    def _place(self, node) -> tuple[int, int]:
        start = self.lines[node.lineno - 1] + node.col_offset
        return start, self.lines[node.end_lineno - 1] + node.end_col_offset

    def _add(self, node: ast.AST, after: str, kind: str | None) -> None:
        start, end = self._place(node)
        before = " ".join(ast.unparse(node).split())
        if kind is None or before == after:
            return
        function = ".".join(self.names)
        text = self.rows[node.lineno - 1].decode().strip()
        self.found.append(
            Mutant(self.file, function, node.lineno, kind, before, after, start, end, text)
        )

    def _expression(self, node, new: ast.AST, kind: str | None) -> None:
        self._add(node, f"({ast.unparse(new)})", kind)

    def _statement(self, node, kind: str | None = None) -> None:
        self._add(node, "pass", kind or self._place_kind())

    def _place_kind(self) -> str | None:
        if KEEPERS.search(self.file):
            return "freshness"
        return "verdict" if JUDGES.search(self.file) else None

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            return
        self._expression(node, _with(node, op=OPERATORS[type(node.op)]()), "arithmetic")
        if isinstance(node.op, (ast.Add, ast.Mult)):
            self._expression(node, node.left, "dropped")
            self._expression(node, node.right, "dropped")
        elif isinstance(node.op, (ast.Sub, ast.Div)):
            self._expression(node, node.left, "dropped")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self._add(node, ast.unparse(_with(node, op=OPERATORS[type(node.op)]())), "arithmetic")
        self._add(node, "pass", "dropped")
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.USub):
            self._expression(node, node.operand, "arithmetic")
        elif isinstance(node.op, ast.Not):
            self._expression(node, node.operand, self._place_kind() or "comparison")
        self.generic_visit(node)

    def visit_Compare(self, node):
        for i, order in enumerate(node.ops):
            for turned in ORDERS[type(order)]:
                ops = [turned() if i == k else o for k, o in enumerate(node.ops)]
                self._expression(node, _with(node, ops=ops), self._place_kind() or "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        turned = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._expression(node, _with(node, op=turned), self._place_kind() or "comparison")
        for i in range(len(node.values)):
            rest = [v for k, v in enumerate(node.values) if k != i]
            new = rest[0] if len(rest) == 1 else _with(node, values=rest)
            self._expression(node, new, self._place_kind() or "comparison")
        self.generic_visit(node)

    def _condition(self, test) -> None:
        for value in ("True", "False"):
            self._add(test, value, self._place_kind())

    def visit_If(self, node):
        self._condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node):
        self._condition(node.test)
        self.generic_visit(node)

    def visit_Assert(self, node):
        self._statement(node, "verdict")

    def visit_Raise(self, node):
        if self._place_kind():
            self._statement(node)

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, str) and JUDGES.search(self.file) and value in VERDICTS:
            self._add(node, repr(VERDICTS[value]), "verdict")
        if LOOKS.search(self.file) or not isinstance(value, (bool, int, float)):
            return
        if isinstance(value, bool):
            self._add(node, str(not value), "constant")
        elif value in (0, 1):
            self._add(node, repr(value + 1), "constant")
        else:
            self._add(node, repr(2 * value), "constant")
            self._add(node, repr(value + 1 if isinstance(value, int) else value / 2), "constant")

    def visit_Subscript(self, node):
        if getattr(node.value, "id", "") in TYPES:
            return
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for place in places:
            if isinstance(place, ast.Slice):
                for end, other in ((place.lower, "lower"), (place.upper, "upper")):
                    if end is not None:
                        self._expression(end, _moved(end), "index")
                        new = copy.deepcopy(place)
                        setattr(new, other, None)
                        self._add(place, ast.unparse(new), "index")
            elif isinstance(place, ast.Name) or _whole(place):
                self._expression(place, _moved(place), "index")
        self.generic_visit(node)

    def visit_Call(self, node):
        name = _called(node)
        if name in TURNED:
            head = node.func.value if isinstance(node.func, ast.Attribute) else None
            text = (ast.unparse(head) + "." if head else "") + TURNED[name]
            self._add(node.func, text, "comparison")
        if name == "range":
            self._expression(node.args[-1], _moved(node.args[-1]), "index")
        if name in STREAMS:
            for i in range(len(node.args)):
                if len(node.args) > 1:
                    rest = [a for k, a in enumerate(node.args) if k != i]
                    self._expression(node, _with(node, args=rest), "seed")
                one = [ast.Constant(1) if k == i else a for k, a in enumerate(node.args)]
                self._expression(node, _with(node, args=one), "seed")
        self.generic_visit(node)


def _called(node) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", None) or getattr(node.func, "id", "")


def _with(node, **changes):
    new = copy.copy(node)
    for key, value in changes.items():
        setattr(new, key, value)
    return new


def _whole(node) -> bool:
    try:
        return type(ast.literal_eval(node)) is int
    except ValueError:
        return False


def _moved(node) -> ast.AST:
    """One place further; the last place becomes the first."""
    if _whole(node):
        return ast.Constant(ast.literal_eval(node) + 1)
    return ast.BinOp(node, ast.Add(), ast.Constant(1))


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Every mutant of one file, in the order of its lines."""
    finder = _Finder(file, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda m: (m.start, m.end, m.kind, m.after))


def changes_something(mutant: Mutant, source: bytes) -> bool:
    """Whether it is Python still, and other Python than before."""
    try:
        changed = ast.parse(mutant.applied(source))
    except (SyntaxError, ValueError):
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


def all_mutants(root: Path) -> list[Mutant]:
    return [
        mutant
        for path in sorted((root / "src").rglob("*.py"))
        for mutant in mutants_of(path.relative_to(root).as_posix(), path.read_bytes())
    ]


def drawn(root: Path, mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """`count` of them: cells (folder, kind) in turn, so that rare kinds are not left out."""
    chance = random.Random(seed)
    cells = defaultdict(list)
    for mutant in mutants:
        cells[mutant.folder, mutant.kind].append(mutant)
    for cell in cells.values():
        chance.shuffle(cell)
    result, order = [], sorted(cells)
    while len(result) < count and any(cells.values()):
        chance.shuffle(order)
        for key in order:
            while cells[key]:
                mutant = cells[key].pop()
                if changes_something(mutant, (root / mutant.file).read_bytes()):
                    result.append(mutant)
                    break
    return result[:count]
