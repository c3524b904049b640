"""The least shift of the noise with which a run on a neighbour has the same outcomes.

Every release is an equation, every comparison an inequality for the shifts of the draws; a draw
costs once, however often it is used. The shift maps the noise of one run onto that of the other, so
its cost bounds the ratio of their probabilities (docs/proofs/AUDIT.md): for Laplace noise |s|/b,
for Gumbel, exponential and geometric noise s/b with s >= 0; Gaussian noise is as that of one answer
with sum (s/sigma)^2.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dpbandits.audit.replayed.tape import Event, Tape
from dpbandits.core.mechanisms import ROUNDING, delta_of_pure
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.zcdp import delta_of

PROGRAMS: dict = {}  # that were solved
BOTH_WAYS = ("laplace", "logistic", "gaussian")  # noise that hides a move up and a move down
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-9}


@dataclass(frozen=True)
class Loss:
    """An upper bound, on the ways of one transcript; `why`: it is infinite."""

    costs: dict = field(default_factory=dict)  # {draw: loss}; of Gaussian ones only their sum
    coins: tuple[float, float] = (0.0, 0.0)  # in both directions
    gaussian: float = 0.0  # sum of (s/sigma)^2
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
    def rho(self) -> float:
        """Of zCDP, at most."""
        pure = (*self.costs.values(), max(self.coins))
        return math.inf if self.why else (math.fsum(x * x for x in pure) + self.gaussian) / 2

    @property
    def exact(self) -> bool:
        """Whether `delta` is, if all noise is shown."""
        return bool(self.single) or not self.costs

    def delta(self, epsilon: float) -> float:
        """At most."""
        if self.pure <= epsilon * ROUNDING and not self.gaussian:
            return 0.0
        if math.isinf(self.pure):
            return 1.0
        if self.single:
            return max(0.0, -math.expm1((epsilon - self.single) / 2))
        rounded = (float(f"{x:.12g}") for x in (self.rho, self.pure, self.gaussian))
        return least_delta(*rounded, epsilon)


@lru_cache(maxsize=100_000)
def least_delta(rho, pure, gaussian, epsilon) -> float:
    """Of a pure loss and a Gaussian one, which both are in rho."""
    found = [delta_of(rho, epsilon)]
    if not gaussian:
        found.append(delta_of_pure(pure, epsilon))
    elif pure < epsilon:
        found.append(gaussian_delta(math.sqrt(gaussian), epsilon - pure))
    return min(found)


class Row(NamedTuple):
    """The noise of the form is to be shifted by the opposite of its movement (sense "="), by more
    (">"), or by less ("<")."""

    parts: dict
    move: float
    sense: str
    name: str


class NotHidden(Exception):
    """No shift of the noise hides a movement: (why, line, movement)."""


def align(first: Tape, second: Tape) -> Loss:
    """The loss between two runs with the same outcomes, the second one replayed."""
    try:
        for a, b in zip(first.laws, second.laws, strict=False):
            if a[0] != b[0] or not math.isclose(a[1], b[1], **CLOSE):
                raise NotHidden("its noise depends on the data", "", 0.0)
        rows, coins = [], np.zeros(2)
        for a, b in zip(first.events, second.events, strict=False):
            if a.kind in ("draw", "blind"):
                coins += _odds(a.chances, b.chances)
            else:
                rows += _rows(a, b, first.born)
        if len(first.events) != len(second.events):
            raise NotHidden("it noises another number of quantities", "", 0.0)
        return _solved(rows, first.laws, tuple(coins.tolist()), first.born)
    except NotHidden as why:
        return Loss(why=why.args[0], line=why.args[1], movement=why.args[2])


def _odds(before, after) -> np.ndarray:
    """The largest logarithms of the ratios of the probabilities, in both directions."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(before) - np.log(after)
    logs = np.nan_to_num(logs, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return np.array([logs.max(), (-logs).max()])


def _rows(a: Event, b: Event, born: list) -> list[Row]:
    if a.kind != "order":
        sense = "=" if a.kind == "=" else ">" if a.out else "<"
        return [_row(a.forms[0], b.forms[0], sense, a.name, born)]
    rows = []
    for rank, winner in enumerate(a.out):
        for other in set(range(len(a.forms))) - set(a.out[: rank + 1]):
            before, after = (_minus(x.forms[winner], x.forms[other]) for x in (a, b))
            never = math.isinf(before[0]) and before[0] == after[0]  # it can never win
            rows += [] if never else [_row(before, after, ">", a.name, born)]
    return rows


def _minus(x, y):
    parts = dict(x[1])
    for i, c in y[1].items():
        parts[i] = parts.get(i, 0.0) - c
    return x[0] - y[0], parts


def _row(before, after, sense, name, born) -> Row:
    (base, parts), (moved, others) = before, after
    same = all(math.isclose(c, others[i], rel_tol=1e-9) for i, c in parts.items())
    if not same:
        where = born[min(parts)] if parts else name
        raise NotHidden(f"the scale of the noise of {where} depends on the data", name, 0.0)
    equal = base == moved or (math.isnan(base) and math.isnan(moved))
    move = 0.0 if equal else moved - base
    if not math.isfinite(move):
        raise NotHidden(f"{base:g} becomes {moved:g} at {name}: no noise hides it", name, math.inf)
    return Row({i: c for i, c in parts.items() if c}, move, sense, name)


def _solved(rows: list[Row], laws, coins, born) -> Loss:
    shift, where, left = _single(rows)
    open_ = _open(left, shift)
    if not all(_holds(row.sense, row.move) for row in open_):
        found = _program(open_, laws)
        if found is None:
            worst = max(rows, key=lambda row: abs(row.move))
            why = f"no shift of the noise hides what moves at {worst.name}"
            raise NotHidden(why, worst.name, abs(worst.move))
        shift |= found
        where = {i: row.name for row in open_ for i in row.parts} | where
    worst = max(shift, key=lambda i: abs(shift[i]) * laws[i][1], default=None)
    if worst is None:
        return cost(shift, laws, coins)
    moves = (abs(row.move) for row in rows if row.name == where.get(worst))
    return cost(shift, laws, coins, born[worst], max(moves, default=0.0))


def _single(rows: list[Row]):
    """({draw: its shift} of the equations that have one solution, found one by one, {draw: line},
    the rows that are left)."""
    shift, where, left, changed = {}, {}, [r for r in rows if r.sense == "="], True
    while changed:
        changed, rest = False, []
        for row in left:
            free = [i for i in row.parts if i not in shift]
            known = [c * shift[i] for i, c in row.parts.items() if i in shift]
            value, size = -row.move - sum(known), abs(row.move) + sum(map(abs, known))
            if not free and abs(value) > 1e-9 * max(1.0, size):
                again = "the noise has been used before" if row.parts else "there is no noise"
                why = f"what moves at {row.name} is not hidden: {again}"
                raise NotHidden(why, row.name, abs(row.move))
            if len(free) == 1:
                found = value / row.parts[free[0]]
                shift[free[0]] = found if abs(found) >= 1e-12 * max(1.0, size) else 0.0
                where[free[0]], changed = row.name, True
            elif free:
                rest.append(row)
        left = rest
    return shift, where, left + [r for r in rows if r.sense != "="]


def _open(rows: list[Row], shift: dict) -> list[Row]:
    """What is left of the rows when these shifts are known; `move` is the goal."""
    found = []
    for row in rows:
        goal = -row.move - sum(c * shift[i] for i, c in row.parts.items() if i in shift)
        parts = {i: c for i, c in row.parts.items() if i not in shift}
        if parts:
            found.append(Row(parts, goal, row.sense, row.name))
        elif not _holds(row.sense, goal):
            why = f"a comparison at {row.name} moves, and no noise is left to hide it"
            raise NotHidden(why, row.name, abs(row.move))
    return found


def _holds(sense: str, goal: float) -> bool:
    """Whether a shift by 0 meets the goal."""
    return {"=": abs(goal) <= 1e-9, ">": goal <= 1e-9, "<": goal >= -1e-9}[sense]


def cost(shift, laws, coins=(0.0, 0.0), name="", movement=0.0) -> Loss:
    costs, gaussian = {}, 0.0
    for i, s in shift.items():
        law, rate = laws[i]
        if law == "gaussian":
            gaussian += s * s
        elif s and (law in BOTH_WAYS or s > -1e-12):
            costs[i] = abs(s) * rate
        elif s:
            why = f"{law} noise at {name} does not hide a value that moves down"
            return Loss(why=why, line=name, movement=movement)
    alone = len(costs) == 1 and not gaussian and coins == (0.0, 0.0)
    single = math.fsum(costs.values()) if alone and laws[min(costs)][0] == "laplace" else 0.0
    return Loss(costs, coins, gaussian, "", name, movement, single)


def _program(rows: list[Row], laws) -> dict | None:
    """The cheapest shift by linear programming; Gaussian noise alone: by least squares."""
    used = sorted({i for row in rows for i in row.parts})
    place = {i: k for k, i in enumerate(used)}
    table = np.zeros((len(rows), len(used)))
    for k, row in enumerate(rows):
        for i, c in row.parts.items():
            table[k, place[i]] = c
    goal, sense = np.array([r.move for r in rows]), np.array([r.sense for r in rows])
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

    two = np.array([law in BOTH_WAYS for law, _ in laws])
    full = np.hstack([table, -table[:, two]])
    rates, equal = np.array([rate for _, rate in laws]), sense == "="
    signs = np.where(sense == ">", -1.0, 1.0)
    found = linprog(
        np.r_[rates, rates[two]],
        A_ub=(full * signs[:, None])[~equal] if (~equal).any() else None,
        b_ub=(goal * signs)[~equal] if (~equal).any() else None,
        A_eq=full[equal] if equal.any() else None, b_eq=goal[equal] if equal.any() else None,
    )  # fmt: skip
    if not found.success:
        return None
    s = found.x[: len(laws)].copy()
    s[two] -= found.x[len(laws) :]
    return np.where(np.abs(s) < 1e-9, 0.0, s).tolist()
