"""`dpbandits simulate`: algorithms on one setting, regret to a CSV."""

import json
import sys

from dpbandits.cli.inputs import (
    items,
    parse_epsilons,
    parse_rounds,
    read_setting,
    whole_number,
    writable,
)
from dpbandits.core.models import parse


def simulate(options) -> None:
    from dpbandits.core.algorithms import get_algorithm
    from dpbandits.core.trajectories import log_spaced

    entries = [get_algorithm(name) for name in items(options.algorithms, "algorithm")]
    typed = read_setting(options.setting)
    settings = [parse(entry.setting, typed, f"setting of {entry.name}") for entry in entries]
    epsilons = [parse_epsilons(entry, entries, options.epsilon) for entry in entries]
    horizon = whole_number(options.horizon, "--horizon")
    first = whole_number(options.first_seed, "--first-seed", least=0)
    seeds = range(first, first + whole_number(options.seeds, "--seeds"))
    rounds = parse_rounds(options.at, horizon) if options.at else log_spaced(horizon)
    output = writable(options.output, ".csv")
    if output.is_file() or not output.exists():  # no device or pipe
        writable(f"{output}.json", ".json")
    runs = [
        (entry.name, setting, epsilon)
        for entry, setting, values in zip(entries, settings, epsilons, strict=True)
        for epsilon in values
    ]
    coordinates = {"horizon": horizon, "seeds": seeds, "checkpoints": rounds}
    _write_regret(runs, output, engine=options.engine, **coordinates)


def _write_regret(runs, output, *, seeds, checkpoints, **options) -> None:
    """Simulate `runs` (name, setting, epsilon) and write the CSV.

    The settings are written beside it, as JSON, for `dpbandits compare`.
    """
    import pandas as pd

    from dpbandits.core.algorithms import run
    from dpbandits.core.files import atomic, write_text
    from dpbandits.core.models import canonical

    frames = []
    for number, (name, setting, epsilon) in enumerate(runs, start=1):
        print(f"[{number}/{len(runs)}] {name} at epsilon {epsilon:g}", file=sys.stderr)
        result = run(name, setting, epsilon, seeds=seeds, checkpoints=checkpoints, **options)
        frame = result.frame(tuple(seeds), checkpoints)
        frame = frame[frame["metric"] == "regret"].rename(columns={"value": "regret"})
        frames.append(frame.assign(algorithm=name, epsilon=epsilon))
    columns = ["algorithm", "epsilon", "seed", "t", "regret"]
    table = pd.concat(frames)[columns]
    with atomic(output) as temporary:
        table.to_csv(temporary, index=False, float_format="%.10g")
    settings = {name: canonical(setting) for name, setting, _ in runs}
    if output.is_file():
        write_text(json.dumps(settings, indent=1) + "\n", f"{output}.json")
    end = table[table["t"] == table["t"].max()]
    for (name, epsilon), regret in end.groupby(["algorithm", "epsilon"], sort=False)["regret"]:
        spread = f" (standard error {regret.sem():.2g})" if len(regret) > 1 else ""
        mean = f"{regret.mean():.5g}{spread} at t = {end['t'].max()}, {len(regret)} seeds"
        print(f"{name} at epsilon {epsilon:g}: regret {mean}", file=sys.stderr)
