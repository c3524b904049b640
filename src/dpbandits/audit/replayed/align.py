"""The least shift of the noise with which a run on a neighbour has the same outcomes.

Every release is an equation, every comparison an inequality for the shifts of the draws; a draw
costs once, however often it is used. The shift maps the noise of one run onto that of the other, so
its cost bounds the ratio of their probabilities: for Laplace noise |s|/b, for Gumbel, exponential
and geometric noise s/b with s >= 0; Gaussian noise is as that of one answer with sum (s/sigma)^2.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from dpbandits.audit.replayed.tape import Tape
from dpbandits.core.mechanisms import ROUNDING, delta_of_pure
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.zcdp import delta_of

PROGRAMS: dict = {}  # that were solved
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-9}


@dataclass(frozen=True)
class Loss:
    """An upper bound, on the ways of one transcript; `why`: it is infinite."""

    costs: dict = field(default_factory=dict)  # {draw: loss}; Gaussian draws: (s/sigma)^2
    coins: tuple[float, float] = (0.0, 0.0)
    gaussian: float = 0.0
    why: str = ""
    line: str = ""  # what costs most
    movement: float = 0.0
    single: float = 0.0  # of one Laplace draw, if nothing else costs: its delta is exact

    @property
    def pure(self) -> float:
        return math.inf if self.why else math.fsum(self.costs.values()) + max(self.coins)

    @property
    def epsilon(self) -> float:
        return math.inf if self.gaussian else self.pure

    @property
    def exact(self) -> bool:
        """Whether `delta` is, if all noise is shown."""
        return bool(self.single) or not self.costs

    def delta(self, epsilon: float) -> float:
        """At most."""
        pure = self.pure
        if pure <= epsilon * ROUNDING and not self.gaussian:
            return 0.0
        if math.isinf(pure):
            return 1.0
        if self.single:
            return max(0.0, -math.expm1((epsilon - self.single) / 2))
        rho = (
            math.fsum(x * x for x in (*self.costs.values(), max(self.coins))) / 2
            + self.gaussian / 2
        )
        return least_delta(
            float(f"{rho:.12g}"), float(f"{pure:.12g}"), float(f"{self.gaussian:.12g}"), epsilon
        )


@lru_cache(maxsize=100_000)
def least_delta(rho, pure, gaussian, epsilon) -> float:
    """Of a pure loss and a Gaussian one, which both are in rho."""
    found = [delta_of(rho, epsilon)]
    if not gaussian:
        found.append(delta_of_pure(pure, epsilon))
    elif pure < epsilon:
        found.append(gaussian_delta(math.sqrt(gaussian), epsilon - pure))
    return min(found)


def align(first: Tape, second: Tape) -> Loss:
    n = min(len(first.laws), len(second.laws))
    for a, b in zip(first.laws[:n], second.laws[:n], strict=True):
        if a[0] != b[0] or not math.isclose(a[1], b[1], **CLOSE):
            return Loss(why="its noise depends on the data")
    rows, coins = [], [0.0, 0.0]  # rows: (parts, movement, sense, line)
    for a, b in zip(first.events, second.events, strict=False):
        if a.kind in ("draw", "blind"):
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.nan_to_num(
                    np.log(a.base) - np.log(b.base), nan=0.0, posinf=np.inf, neginf=-np.inf
                )
            coins = [coins[0] + max(logs), coins[1] + max(-logs)]
            continue
        if a.kind == "order":
            forms = [zip(x.parts["bases"], x.parts["parts"], strict=True) for x in (a, b)]
            forms = [list(x) for x in forms]
            if len(forms[0]) != len(forms[1]):
                return Loss(
                    why=f"the number of scores at {a.name} depends on the data", line=a.name
                )
            for rank, winner in enumerate(a.out):
                for other in range(len(forms[0])):
                    if other in a.out[: rank + 1]:
                        continue
                    moves = [_minus(x[winner], x[other]) for x in forms]
                    if math.isinf(moves[0][0]) and moves[0][0] == moves[1][0]:
                        continue
                    if why := _row(rows, *moves, ">", a.name, first.born):
                        return Loss(why=why, line=a.name)
            continue
        sense = "=" if a.kind == "=" else ">" if a.out else "<"
        if why := _row(rows, (a.base, a.parts), (b.base, b.parts), sense, a.name, first.born):
            return Loss(why=why, line=a.name)
    if len(first.events) != len(second.events):
        return Loss(why="it noises another number of quantities")
    return _solve(rows, first.laws, tuple(coins), first.born)


def _minus(x, y):
    parts = dict(x[1])
    for i, c in y[1].items():
        parts[i] = parts.get(i, 0.0) - c
    return x[0] - y[0], parts


def _row(rows, a, b, sense, name, born) -> str:
    if a[1].keys() != b[1].keys() or any(
        not math.isclose(c, b[1][i], rel_tol=1e-9) for i, c in a[1].items()
    ):
        return f"the scale of the noise of {born[min(a[1])] if a[1] else name} depends on the data"
    move = 0.0 if a[0] == b[0] or (a[0] != a[0] and b[0] != b[0]) else b[0] - a[0]
    if not math.isfinite(move):
        return f"{a[0]:g} becomes {b[0]:g} at {name}: noise does not hide it"
    rows.append(({i: c for i, c in a[1].items() if c}, move, sense, name))
    return ""


def _solve(rows, laws, coins, born) -> Loss:
    """Single draws first; a linear program for the rest."""
    shift, left, where, moves = {}, [r for r in rows if r[2] == "="], {}, {}
    for _, move, _, name in rows:
        moves[name] = max(moves.get(name, 0.0), abs(move))
    changed = True
    while changed:
        changed, rest = False, []
        for parts, move, sense, name in left:
            free = [i for i in parts if i not in shift]
            value = -move - sum(c * shift[i] for i, c in parts.items() if i in shift)
            size = abs(move) + sum(abs(c * shift[i]) for i, c in parts.items() if i in shift)
            if not free and abs(value) > 1e-9 * max(1.0, size):
                again = "the noise has been used before" if parts else "there is no noise"
                return Loss(
                    why=f"what moves at {name} is not hidden: {again}",
                    line=name,
                    movement=abs(move),
                )
            if len(free) == 1:
                shift[free[0]], where[free[0]], changed = value / parts[free[0]], name, True
                if abs(shift[free[0]]) < 1e-12 * max(1.0, size):
                    shift[free[0]] = 0.0
            elif free:
                rest.append((parts, move, sense, name))
        left = rest
    left += [r for r in rows if r[2] != "="]
    open_ = []
    for parts, move, sense, name in left:
        value = -move - sum(c * shift[i] for i, c in parts.items() if i in shift)
        parts = {i: c for i, c in parts.items() if i not in shift}
        holds = {"=": abs(value) <= 1e-9, ">": value - 1e-9 <= 0, "<": value + 1e-9 >= 0}[sense]
        if parts:
            open_.append((parts, value, sense, name))
        elif not holds:
            return Loss(
                why=f"a comparison at {name} moves, and no noise is left to hide it",
                line=name,
                movement=abs(move),
            )
    trivial = all({"=": abs(v) <= 1e-9, ">": v <= 1e-9, "<": v >= -1e-9}[s] for _, v, s, _ in open_)
    if not trivial:
        found = _program(open_, laws)
        if found is None:
            _, move, _, name = max(rows, key=lambda r: abs(r[1]))
            return Loss(
                why=f"no shift of the noise hides what moves at {name}",
                line=name,
                movement=abs(move),
            )
        shift |= found
        for parts, _, _, name in open_:
            where |= {i: name for i in parts if i not in where}
    worst = max(shift, key=lambda i: abs(shift[i]) * laws[i][1], default=None)
    if worst is None:
        return cost(shift, laws, coins)
    return cost(shift, laws, coins, born[worst], moves.get(where.get(worst), 0.0))


def cost(shift, laws, coins=(0.0, 0.0), name="", movement=0.0) -> Loss:
    costs, gaussian = {}, 0.0
    for i, s in shift.items():
        law, rate = laws[i]
        if law == "gaussian":
            gaussian += s * s
        elif s and (law == "laplace" or s > -1e-12):
            costs[i] = abs(s) * rate
        elif s:
            why = f"{law} noise at {name} does not hide a value that moves down"
            return Loss(why=why, line=name, movement=movement)
    alone = len(costs) == 1 and not gaussian and coins == (0.0, 0.0)
    alone = alone and laws[next(iter(costs))][0] == "laplace"
    return Loss(costs, coins, gaussian, "", name, movement, sum(costs.values()) if alone else 0.0)


def _program(rows, laws) -> dict | None:
    used = sorted({i for parts, *_ in rows for i in parts})
    place = {i: k for k, i in enumerate(used)}
    table = np.zeros((len(rows), len(used)))
    for k, (parts, *_) in enumerate(rows):
        for i, c in parts.items():
            table[k, place[i]] = c
    goal, sense = np.array([r[1] for r in rows]), np.array([r[2] for r in rows])
    if all(laws[i][0] == "gaussian" for i in used) and (sense == "=").all():
        s = np.linalg.lstsq(table, goal, rcond=None)[0]
        return dict(zip(used, s.tolist(), strict=True)) if np.allclose(table @ s, goal) else None
    key = table.tobytes(), goal.tobytes(), sense.tobytes(), tuple(laws[i] for i in used)
    if key not in PROGRAMS:
        PROGRAMS[key] = _minimum(table, goal, sense, [laws[i] for i in used])
    s = PROGRAMS[key]
    return None if s is None else dict(zip(used, s, strict=True))


def _minimum(table, goal, sense, laws) -> list | None:
    from scipy.optimize import linprog

    two = np.array([law in ("laplace", "gaussian") for law, _ in laws])
    full = np.hstack([table, -table[:, two]])
    rates = np.array([rate for _, rate in laws])
    equal = sense == "="
    signs = np.where(sense == ">", -1.0, 1.0)[~equal]
    found = linprog(
        np.r_[rates, rates[two]],
        A_ub=full[~equal] * signs[:, None] if (~equal).any() else None,
        b_ub=goal[~equal] * signs if (~equal).any() else None,
        A_eq=full[equal] if equal.any() else None, b_eq=goal[equal] if equal.any() else None,
    )  # fmt: skip
    if not found.success:
        return None
    s = found.x[: len(laws)].copy()
    s[two] -= found.x[len(laws) :]
    return np.where(np.abs(s) < 1e-9, 0.0, s).tolist()
