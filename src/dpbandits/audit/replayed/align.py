"""The least shift of the noise with which a run on a neighbour has the same outcomes.

Every release is an equation, every comparison an inequality for the shifts of the draws; a draw
costs once, however often it is used. The shift maps the noise of one run onto that of the other, so
its cost bounds the ratio of their probabilities (docs/proofs/AUDIT.md): for Laplace noise |s|/b,
for Gumbel, exponential and geometric noise s/b with s >= 0, of geometric noise a whole number.
Gaussian noise must shift by the same vector on all ways, so what is compared counts as released;
it is as that of one answer with sum (s/sigma)^2.
"""

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from dpbandits.audit.replayed.tape import Event, Tape
from dpbandits.core.mechanisms import ROUNDING, delta_of_pure
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.zcdp import delta_of

BOTH_WAYS = ("laplace", "logistic", "gaussian")  # noise that hides a move up and a move down
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-9}


@dataclass(frozen=True)
class Loss:
    """An upper bound, on the ways of one transcript; `why`: it is infinite."""

    costs: tuple = ()  # of draws that are released one by one, and of those compared with others
    coins: tuple = ()  # (loss, loss in the other direction) of each coin
    gaussian: float = 0.0  # sum of (s/sigma)^2
    why: str = ""
    line: str = ""  # what costs most
    movement: float = 0.0
    single: float = 0.0  # of one Laplace draw that is released, if nothing else costs

    @property
    def pure(self) -> float:
        return math.inf if self.why else math.fsum(self.costs) + self.of_coins

    @property
    def of_coins(self) -> float:
        return max(map(math.fsum, zip(*self.coins, strict=True)), default=0.0)

    @property
    def epsilon(self) -> float:
        return math.inf if self.gaussian else self.pure

    @property
    def rho(self) -> float:
        """Of zCDP, at most; of a coin by the range of its loss."""
        pure = (*self.costs, *(sum(both) / 2 for both in self.coins))
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
    (">"), or by less ("<"), both in units of its largest coefficient; `size`: the movement."""

    parts: dict
    move: float
    sense: str
    name: str
    size: float = 0.0


class NotHidden(Exception):
    """No shift of the noise hides a movement: (why, line, movement)."""


def align(first: Tape, second: Tape) -> Loss:
    """The loss between two runs with the same outcomes, the second one replayed."""
    try:
        for a, b in zip(first.laws, second.laws, strict=False):
            if a[0] != b[0] or not math.isclose(a[1], b[1], **CLOSE):
                raise NotHidden("its noise depends on the data", "", 0.0)
        rows, coins = [], []
        uses = Counter(i for event in first.events for i in event.draws)
        for a, b in zip(first.events, second.events, strict=False):
            if a.kind in ("draw", "blind"):
                coins.append(_odds(a.chances, b.chances))
            elif (drawn := _drawn(a, b, first.laws, uses)) is not None:
                coins += drawn
            else:
                rows += _rows(a, b, first)
        if len(first.events) != len(second.events):
            raise NotHidden("it noises another number of quantities", "", 0.0)
        return _solved(rows, first.laws, tuple(coins), first.born)
    except NotHidden as why:
        return Loss(why=why.args[0], line=why.args[1], movement=why.args[2])


def _odds(before, after) -> tuple[float, float]:
    """The largest logarithms of the ratios of the probabilities, in both directions."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(before) - np.log(after)
    logs = np.nan_to_num(logs, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return float(logs.max()), float((-logs).max())


def _drawn(a: Event, b: Event, laws, uses) -> list | None:
    """An argmax with Gumbel noise that is used nowhere else draws one place after the other with
    probabilities proportional to exp(score/scale)."""
    forms = [*a.forms, *b.forms] if a.kind == "order" else []
    scales = {c for _, parts in forms for c in parts.values()}
    alone = all(
        len(x) == 1 and uses[i] == 1 and laws[i][0] == "gumbel" for _, x in forms for i in x
    )
    if not (alone and len(scales) == 1 and min(scales) > 0):
        return None
    scores = [np.array(event.bases) / min(scales) for event in (a, b)]
    left, found = np.ones(len(a.forms), bool), []
    for winner in a.out:
        if any(np.isnan(x).any() or not np.isfinite(x[left].max()) for x in scores):
            return None
        found.append(_odds(*(softmax(x[left]) for x in scores)))
        left[winner] = False
    return found


def _rows(a: Event, b: Event, first: Tape) -> list[Row]:
    if a.kind != "order":
        sense = "=" if a.kind == "=" else ">" if a.out else "<"
        return [_row(a.forms[0], b.forms[0], sense, a.name, first.born)]
    if any(first.laws[i][0] == "gaussian" for i in a.draws):
        pairs = zip(a.forms, b.forms, strict=True)
        return [_row(before, after, "=", a.name, first.born) for before, after in pairs]
    rows = []
    for rank, winner in enumerate(a.out):
        for other in set(range(len(a.forms))) - set(a.out[: rank + 1]):
            before, after = (_minus(x.forms[winner], x.forms[other]) for x in (a, b))
            never = math.isinf(before[0]) and before[0] == after[0]  # it can never win
            rows += [] if never else [_row(before, after, ">", a.name, first.born)]
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
    unit = max(map(abs, parts.values()), default=0.0) or 1.0
    return Row({i: c / unit for i, c in parts.items() if c}, move / unit, sense, name, abs(move))


def _solved(rows: list[Row], laws, coins, born) -> Loss:
    rows = _as_released(rows, laws)
    shift, where, left = _single(rows, laws)
    open_ = _open(left, shift)
    block, groups = _linked(open_), {}
    for row in open_:
        groups.setdefault(block[min(row.parts)], []).append(row)
    for group in groups.values():
        if all(_holds(row.sense, row.move) for row in group):
            continue
        found = _least(group, laws)
        if found is None:
            worst = max(rows, key=lambda row: row.size)
            why = f"no shift of the noise hides what moves at {worst.name}"
            raise NotHidden(why, worst.name, worst.size)
        shift |= found
        where = {i: row.name for row in group for i in row.parts} | where
    worst = max(shift, key=lambda i: abs(shift[i]) * laws[i][1], default=None)
    if worst is None:
        return cost(shift, laws, coins)
    moves = (row.size for row in rows if row.name == where.get(worst))
    return cost(shift, laws, coins, born[worst], max(moves, default=0.0), block)


def _linked(rows: list[Row]) -> dict[int, int]:
    """{draw: one of those with which it shares rows, of these rows or of others of theirs}."""
    found: dict[int, int] = {}

    def root(i):
        while found.setdefault(i, i) != i:
            found[i] = i = found[found[i]]
        return i

    for row in rows:
        first = root(min(row.parts)) if row.parts else None
        for i in row.parts:
            found[root(i)] = first
    return {i: root(i) for i in list(found)}


def _as_released(rows: list[Row], laws) -> list[Row]:
    """Comparisons that share noise with Gaussian noise count as releases, so that its shift is the
    same on all ways."""
    if all(law != "gaussian" for law, _ in laws):
        return rows
    block = _linked(rows)
    same = {block[i] for i in block if laws[i][0] == "gaussian"}
    return [r._replace(sense="=") if r.parts and block[min(r.parts)] in same else r for r in rows]


def _single(rows: list[Row], laws):
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
                raise NotHidden(why, row.name, row.size)
            if len(free) == 1:
                found = value / row.parts[free[0]]
                if laws[free[0]][0] == "geometric" and not _holds("=", found - round(found)):
                    why = f"whole numbers of noise at {row.name} do not hide a part of one"
                    raise NotHidden(why, row.name, row.size)
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
            raise NotHidden(why, row.name, row.size)
    return found


def _holds(sense: str, goal: float) -> bool:
    """Whether a shift by 0 meets the goal."""
    return {"=": abs(goal) <= 1e-9, ">": goal <= 1e-9, "<": goal >= -1e-9}[sense]


def cost(shift, laws, coins=(), name="", movement=0.0, block=None) -> Loss:
    """block: of draws whose shift was chosen, which another way may choose otherwise."""
    costs, gaussian, block = Counter(), 0.0, block or {}
    for i, s in shift.items():
        law, rate = laws[i]
        if law == "gaussian":
            gaussian += s * s
        elif s and (law in BOTH_WAYS or s > -1e-12):
            costs[block.get(i, i)] += abs(s) * rate
        elif s:
            why = f"{law} noise at {name} does not hide a value that moves down"
            return Loss(why=why, line=name, movement=movement)
    alone = len(costs) == 1 and not gaussian and not any(map(any, coins))
    released = alone and min(costs) not in block and laws[min(costs)][0] == "laplace"
    single = costs.total() if released else 0.0
    return Loss(tuple(costs.values()), coins, gaussian, "", name, movement, single)


def _least(rows: list[Row], laws) -> dict | None:
    """The cheapest shift; of Gaussian noise alone by least squares."""
    used = sorted({i for row in rows for i in row.parts})
    place = {i: k for k, i in enumerate(used)}
    if all(laws[i][0] == "gaussian" for i in used):
        table, goal = np.zeros((len(rows), len(used))), [row.move for row in rows]
        for k, row in enumerate(rows):
            table[k, [place[i] for i in row.parts]] = list(row.parts.values())
        s = np.linalg.lstsq(table, goal, rcond=None)[0]
        return dict(zip(used, s.tolist(), strict=True)) if np.allclose(table @ s, goal) else None
    key = tuple((tuple((place[i], c) for i, c in r.parts.items()), r.move, r.sense) for r in rows)
    s = _minimum(key, tuple(laws[i] for i in used))
    return None if s is None else dict(zip(used, s, strict=True))


@lru_cache(maxsize=10_000)
def _minimum(rows, laws) -> list | None:
    """By (mixed integer) linear programming: shifts up, and shifts down where noise allows them."""
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array, hstack

    parts = [(k, i, c) for k, (row, *_) in enumerate(rows) for i, c in row]
    k, i, c = (np.array(x) for x in zip(*parts, strict=True))
    table = csr_array((c, (k, i)), shape=(len(rows), len(laws)))
    down = np.array([law in BOTH_WAYS for law, _ in laws])
    rates, whole = (
        np.array(x) for x in zip(*((r, n == "geometric") for n, r in laws), strict=True)
    )
    ends = {"=": (0.0, 0.0), ">": (0.0, np.inf), "<": (-np.inf, 0.0)}
    low, high = np.array([(goal + ends[x][0], goal + ends[x][1]) for _, goal, x in rows]).T
    found = milp(
        np.r_[rates, rates[down]],
        integrality=np.r_[whole, whole[down]],
        constraints=LinearConstraint(hstack([table, -table[:, np.flatnonzero(down)]]), low, high),
    )
    if found.x is None:
        return None
    s = np.where(whole, np.round(found.x[: len(laws)]), found.x[: len(laws)])
    s[down] -= found.x[len(laws) :]
    return np.where(np.abs(s) < 1e-9, 0.0, s).tolist()
