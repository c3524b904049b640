"""Whether a program's output shows all that it noised, so that their loss is its own."""

import math
from itertools import combinations

import numpy as np

from dpbandits.audit.engine.outcomes import checked

FORCED = (-100, -10, -1, -0.1, 0.1, 1, 10, 100)  # other noisy numbers: times scale and value


def shows(runner, pair, recorded) -> bool:
    """Whether the outputs on both data sets show all that the run noised, in the same way."""
    try:
        first, second = (_shown(runner, x, pair, recorded) for x in (pair.data, pair.neighbour))
    except Exception:  # of the program, with an outcome that was forced
        return False
    if first is None or second is None or first[1] != second[1]:
        return False
    follows = zip(first[0], second[0], strict=True)
    return all(len(a) == len(b) and runner.program.same(a, b, pair.place) for a, b in follows)


def _shown(runner, data, pair, recorded):
    """What the output shows of the noised quantities: None, if not all of them, or (what follows
    each choice of each argmax or draw, the places of the released numbers)."""
    follows = []
    for i, event in enumerate(recorded):
        if event.kind != "release":
            after = _after_choices(runner, data, pair, recorded[:i], event)
            if after is None:
                return None
            follows += after
    places = _places_of_numbers(runner, data, pair, recorded)
    return None if places is None else (follows, places)


def _after_choices(runner, data, pair, before, event) -> list | None:
    """The decisions after each choice, before anything more is noised; None, if two are equal."""
    if event.count is not None or np.ndim(event.output):
        return None
    allowed = event.value if event.kind == "argmax" else np.zeros(len(event.value))
    outcomes, found = [x.output for x in before], []
    for choice in np.flatnonzero(np.isfinite(allowed)).tolist():
        forced = [*outcomes, choice]
        most = 10 * len(forced) + 100
        tape, _ = runner.run(data, pair.noise, forced=forced, most=most)
        more = tape.events[len(forced) :]
        found.append(tape.decisions[: more[0].decided] if more else tape.decisions)
    for a, b in combinations(found, 2):
        n = min(len(a), len(b))
        if runner.program.same(a[:n], b[:n], pair.place):
            return None
    return found


def _places_of_numbers(runner, data, pair, recorded) -> list[int] | None:
    """Where in the output each released number stands, as it is and always at one place, also if
    all of them are replaced by others, small and large, of both signs; else None."""
    if all(event.kind != "release" for event in recorded):
        return []
    rng, places, forms = np.random.default_rng(0), None, [event.form for event in recorded]
    for factor in FORCED:
        forced = []
        for event in recorded:
            size = event.scale.max(initial=0.0) + abs(event.value)
            other = factor * rng.uniform(1, 2, np.shape(size)) if event.kind == "release" else 0
            forced.append(other * size if event.kind == "release" else event.output)
        tape, output = runner.run(data, pair.noise, forced=forced, most=len(forced) + 1)
        if [event.form for event in tape.events] != forms:
            return None
        shown = [x for _, x in checked(output, "") if isinstance(x, int | float)]
        released = [np.ravel(e.output + e.offset) for e in tape.events if e.kind == "release"]
        found = []
        for number in np.concatenate(released).tolist():
            near = (i for i, x in enumerate(shown) if math.isclose(x, number, rel_tol=1e-12))
            found.append(next(near, None))
        if None in found or found != (places or found):
            return None
        places = found
    return places
