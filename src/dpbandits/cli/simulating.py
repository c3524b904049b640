"""`dpbandits simulate`: algorithms on one setting, regret to a CSV."""

import sys

from dpbandits.cli.inputs import epsilons_asked, items, read_setting, rounds_asked, whole, writable
from dpbandits.core.models import parse


def simulate(options) -> None:
    from dpbandits.core.algorithms import get_algorithm
    from dpbandits.core.trajectories import log_spaced

    entries = [get_algorithm(name) for name in items(options.algorithms, "algorithm")]
    setting = read_setting(options.setting)
    settings = [parse(entry.setting, setting, f"setting of {entry.name}") for entry in entries]
    epsilons = [epsilons_asked(entry, entries, options.epsilon) for entry in entries]
    horizon = whole(options.horizon, "--horizon")
    first = whole(options.first_seed, "--first-seed", least=0)
    seeds = range(first, first + whole(options.seeds, "--seeds"))
    rounds = rounds_asked(options.at, horizon) if options.at else log_spaced(horizon)
    output = writable(options.output)
    cells = [
        (entry.name, setting, epsilon)
        for entry, setting, own in zip(entries, settings, epsilons, strict=True)
        for epsilon in own
    ]
    _write_regret(cells, horizon, seeds, rounds, output)


def _write_regret(cells, horizon, seeds, rounds, output) -> None:
    import pandas as pd

    from dpbandits.core.algorithms import run
    from dpbandits.core.files import atomic
    from dpbandits.core.steps import listening

    frames = []
    for place, (name, setting, epsilon) in enumerate(cells, start=1):
        with listening(_teller(f"[{place}/{len(cells)}] {name} at epsilon {epsilon:g}", rounds)):
            frame = run(name, setting, epsilon, horizon, seeds, rounds).frame(tuple(seeds), rounds)
        frame = frame[frame["metric"] == "regret"].rename(columns={"value": "regret"})
        frames.append(frame.assign(algorithm=name, epsilon=epsilon))
    columns = ["algorithm", "epsilon", "seed", "t", "regret"]
    table = pd.concat(frames)[columns]
    with atomic(output) as temporary:
        table.to_csv(temporary, index=False, float_format="%.10g")
    end = table[table["t"] == table["t"].max()]
    for (name, epsilon), own in end.groupby(["algorithm", "epsilon"], sort=False)["regret"]:
        spread = f" ± {own.sem():.2g}" if len(own) > 1 else ""
        said = f"{own.mean():.5g}{spread} at t = {end['t'].max()}, {len(own)} seeds"
        print(f"{name} at epsilon {epsilon:g}: regret {said}", file=sys.stderr)


def _teller(what: str, rounds):
    """Say what is under way: on a terminal each run, elsewhere once what takes many of them."""
    seen = sys.stderr.isatty()
    if seen:
        print(what, file=sys.stderr)

    def tell(done: int, total: int) -> None:
        if done == 0 and len(rounds) > 1:
            why = f"{total} separate runs, one per seed and T = t; fewer: --at"
            print(f"{what}: {why}", file=sys.stderr)
        if seen:
            end = "\r" if done + 1 < total else "\n"
            print(f"  run {done + 1} of {total}", end=end, file=sys.stderr, flush=True)

    return tell
