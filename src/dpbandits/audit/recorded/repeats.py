"""What is the same whenever a run is repeated: without that no program is accused."""

from dpbandits.audit.engine.outcomes import same
from dpbandits.audit.recorded.choices import short
from dpbandits.audit.recorded.replays import REPEATS, Pair, Runner
from dpbandits.audit.recorded.tape import Diverged, Endless


def is_stable(runner: Runner, pair: Pair, repeats: int) -> bool:
    """Whether the runs that accuse are the same when they are repeated, with new random numbers
    beside the noise: else there is a generator that was not seen."""
    recorded = runner.run(pair.data, pair.noise)[0].events
    for data in (pair.data, pair.neighbour):
        first = None
        for again in range(repeats):
            try:
                tape, output = runner.run(data, pair.noise, again, recorded=recorded)
                events = tape.events
            except Diverged as why:
                events, output = [], str(why)
            found = [(e.value.tolist(), e.scale.tolist()) for e in events], output
            if first is not None and not same(found, first):
                return False
            first = found
    return True


def what_is_certain(runner: Runner, pair: Pair, repeats: int) -> str:
    """What is always so on one data set before anything is noised, and not on the other."""
    for data, other in ((pair.data, pair.neighbour), (pair.neighbour, pair.data)):
        n, seen, differs = None, None, 0
        for again in range(repeats):
            n, output = _before_noise(runner, data, pair, again, n)
            if n == 0 or (seen is not None and not same(output, seen)):
                break
            seen = output
        else:
            for again in range(REPEATS):
                _, output = _before_noise(runner, other, pair, again, n)
                differs += not same(output, seen)
            if differs > REPEATS / 2:
                seen = seen[0] if len(seen) == 1 else seen
                return f"always {short(seen)} on one data set, another on its neighbour"
    return ""


def _before_noise(runner: Runner, data, pair: Pair, again, n=None):
    """(how much of the output comes before any noise, and that part of it); n: how much."""
    try:
        tape, _ = runner.run(data, (repr(data), 0), 1 + again)
    except Endless:
        return 0, []
    if n is None:
        n = tape.events[0].decided if tape.events else len(tape.decisions)
        n = 0 if tape.unseen else n
    return n, runner.program.seen(tape.decisions[:n], pair.place)
