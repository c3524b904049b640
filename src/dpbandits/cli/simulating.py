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
    for entry, setting, values in zip(entries, settings, epsilons, strict=True):
        if text := entry.warning(setting, min(values)):
            print(f"warning: {text}", file=sys.stderr)
    coordinates = {"horizon": horizon, "seeds": seeds, "checkpoints": rounds}
    _write_regret(runs, output, engine=options.engine, **coordinates)


def _write_regret(runs, output, *, seeds, checkpoints, **options) -> None:
    """Simulate `runs` (name, setting, epsilon) and write the CSV.

    The settings are written beside it, as JSON, for `dpbandits compare`.
    """
    from dpbandits.core.algorithms import run
    from dpbandits.core.files import write_text
    from dpbandits.core.models import canonical
    from dpbandits.core.statistics import mean_with_band

    lines, ends = ["algorithm,epsilon,seed,t,regret"], []
    for number, (name, setting, epsilon) in enumerate(runs, start=1):
        print(f"[{number}/{len(runs)}] {name} at epsilon {epsilon:g}", file=sys.stderr)
        result = run(name, setting, epsilon, seeds=seeds, checkpoints=checkpoints, **options)
        for seed, regret in zip(seeds, result.regret, strict=True):
            start = f"{name},{epsilon:.10g},{seed}"
            lines += [f"{start},{t},{x:.10g}" for t, x in zip(checkpoints, regret, strict=True)]
        ends.append((name, epsilon, result.regret[:, -1]))
    write_text("\n".join([*lines, ""]), output)
    settings = {name: canonical(setting) for name, setting, _ in runs}
    if output.is_file():
        write_text(json.dumps(settings, indent=1) + "\n", f"{output}.json")
    for name, epsilon, regret in ends:
        spread = mean_with_band(regret)["sem"] if len(regret) > 1 else 0.0
        spread = f" (standard error {spread:.2g})" if len(regret) > 1 else ""
        mean = f"{regret.mean():.5g}{spread} at t = {checkpoints[-1]}, {len(regret)} seeds"
        print(f"{name} at epsilon {epsilon:g}: regret {mean}", file=sys.stderr)
