"""`dpbandits simulate`: algorithms on one setting, regret to a CSV."""

import json
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
        (entry.name, typed, epsilon)
        for entry, typed, own in zip(entries, settings, epsilons, strict=True)
        for epsilon in own
    ]
    coordinates = {"horizon": horizon, "seeds": seeds, "checkpoints": rounds}
    _write_regret(cells, output, engine=options.engine, **coordinates)


def _write_regret(cells, output, *, seeds, checkpoints, **how) -> None:
    """The CSV, and beside it the settings, for `dpbandits compare`."""
    import pandas as pd

    from dpbandits.core.algorithms import run
    from dpbandits.core.files import atomic, write_text
    from dpbandits.core.models import canonical

    frames = []
    for place, (name, setting, epsilon) in enumerate(cells, start=1):
        print(f"[{place}/{len(cells)}] {name} at epsilon {epsilon:g}", file=sys.stderr)
        found = run(name, setting, epsilon, seeds=seeds, checkpoints=checkpoints, **how)
        frame = found.frame(tuple(seeds), checkpoints)
        frame = frame[frame["metric"] == "regret"].rename(columns={"value": "regret"})
        frames.append(frame.assign(algorithm=name, epsilon=epsilon))
    columns = ["algorithm", "epsilon", "seed", "t", "regret"]
    table = pd.concat(frames)[columns]
    with atomic(output) as temporary:
        table.to_csv(temporary, index=False, float_format="%.10g")
    settings = {name: canonical(setting) for name, setting, _ in cells}
    write_text(json.dumps(settings, indent=1) + "\n", f"{output}.json")
    end = table[table["t"] == table["t"].max()]
    for (name, epsilon), own in end.groupby(["algorithm", "epsilon"], sort=False)["regret"]:
        spread = f" ± {own.sem():.2g}" if len(own) > 1 else ""
        said = f"{own.mean():.5g}{spread} at t = {end['t'].max()}, {len(own)} seeds"
        print(f"{name} at epsilon {epsilon:g}: regret {said}", file=sys.stderr)
