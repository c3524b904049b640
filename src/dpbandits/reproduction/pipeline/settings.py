"""The settings of a figure in words: the problem, the horizon, the number of runs, what bands mean.

The parameters are those of the experiment or study behind each table, at the scale of the run (if
that is not known, those which are the same at all scales); other numbers are read from the tables.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.documents import read_yaml
from dpbandits.core.models import parse
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.pipeline.config import PaperConfig, RunConfig
from dpbandits.reproduction.plots.figures import Drawing, Figure
from dpbandits.reproduction.plots.style import not_private

# What is said: key of a setting or of a study's parameters, or column of a table -> its name.
COLUMNS = {
    "d": "d", "dim": "d", "arms": "K", "sparsity": "s", "true_sparsity": "s*", "rho": "ρ",
    "sigma": "σ", "kernel": "kernel", "grid": "grid", "noise": "noise", "delta": "δ", "tau": "τ",
    "horizon": "T", "t": "T", "n": "n", "runs": "runs", "data_sets": "data sets",
    "instances": "instances", "samples": "samples", "trials": "trials",
}  # fmt: skip
NAMES = COLUMNS | {
    "eta": "η", "beta0": "β₀", "objective_eta": "η of J", "dimension": "d", "penalty": "λ",
    "epsilon": "ε", "gap": "gap", "draws": "data sets", "decay": "decay", "actions": "K",
    "designed": "designed data sets", "seeds": "runs", "beyond": "T Δₘᵢₙ min(Δₘᵢₙ, ε)",
    "context": "context", "preferences": "preferences", "coverage": "coverage", "B": "B",
}  # fmt: skip
# keys of settings that are shown although they have their default
SHARED = ("d", "dim", "arms", "sparsity", "true_sparsity", "rho", "sigma", "delta")
BAND = "bands and bars are 95% intervals of the mean over runs"
DASHED = "full lines are private at the ε shown; dashed ones are not"


def scale_of(folder: str | Path) -> str | None:
    """The scale whose tables are in a folder, by the config of the checkout; None if unknown."""
    if not CONFIG.is_file():
        return None
    results = Path(folder).resolve().parents[1]  # of results/tables/PAPER
    scales = parse(RunConfig, read_yaml(CONFIG), str(CONFIG)).scales
    return {Path(place.results).resolve(): scale for scale, place in scales.items()}.get(results)


def settings_of(
    entry: Figure, drawing: Drawing, tables: Callable[[str], pd.DataFrame], scale: str | None = None
) -> str:
    """The settings behind a figure, as sentences."""
    config, data, values, means = _config(entry.paper), drawing.data, defaultdict(list), {}
    for name in entry.reads:
        table = tables(name)
        for key in {"setting", "problem"} & {*table} & {*data}:
            table = table[table[key].isin(data[key])]
        if name in config.experiments:
            experiment, drawn, found = config.experiments[name], {*table}, {}
            first = {key: choices[0] for key, choices in experiment.vary.items()}
            of_table = {k: s for k, s in experiment.settings.items() if k in {*table["setting"]}}
            for id, setting in of_table.items():
                means |= {id: setting["means"]} if "means" in setting else {}
                for series in experiment.algorithms:
                    model = get_algorithm(series.name).setting
                    full = parse(model, first | setting | series.with_, name).model_dump()
                    found[id, series.id] = {
                        key: full[key] for key in full if key in setting or key in SHARED
                    }
        elif name in config.studies:
            study = config.studies[name]
            own = () if scale else {key for keys in study.scales.values() for key in keys}
            found = {key: value for key, value in study.at(scale).items() if key not in own}
            moved = {*data.get("varied", ())}  # if there are several, each is fixed elsewhere
            drawn = {*data} | (moved if len(moved) == 1 else set())
        else:
            drawn, found = {*table}, {}
        for key, value in _scalars(found):
            if key in NAMES and key not in drawn:
                values[NAMES[key]].append(value)
        for key in [key for key in COLUMNS if key in table]:
            numbers = table[key].dropna()
            numbers = numbers[-1:] if key == "t" and "metric" in table else numbers
            if key != "delta" or numbers.nunique() <= 8:  # more are measured, not set
                values[NAMES[key]] += numbers.unique().tolist()
    numbers = ", ".join(f"{name} = {_span(own)}" for name, own in values.items() if own)
    problems = [f"{name}: means {', '.join(map(str, own))}" for name, own in means.items()]
    series = set(data["algorithm"]) if "algorithm" in data else set()
    sentences = [drawing.note, "; ".join([*problems, numbers])]
    sentences += [BAND] if {"sem", "runs"} <= set(data) else []
    sentences += [DASHED] if series & set(not_private()) else []
    return " ".join(f"{_begun(s).rstrip('.')}." for s in sentences if s)


def _scalars(params: dict[str, Any]) -> Iterator[tuple[str, float | str]]:
    """The numbers and texts among some parameters and inside them."""
    if "kernel" in params and "dim" not in params:
        yield "dim", 1  # its default
    for key, value in params.items():
        if isinstance(value, dict):
            yield from _scalars(value)
        elif isinstance(value, int | float | str):
            yield key, value


def _begun(sentence: str) -> str:
    """With a capital letter, unless it begins with a symbol or the name of an algorithm."""
    word = sentence.split()[0]
    is_word = word.isascii() and word.isalpha() and len(word) > 1
    return sentence[0].upper() + sentence[1:] if is_word else sentence


def _span(values: list) -> str:
    """One value, or the smallest and the largest; texts are all listed."""
    if any(isinstance(value, str) for value in values):
        return ", ".join(dict.fromkeys(map(str, values)))
    low, high = min(values), max(values)
    return _number(low) if low == high else f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.3g}"


@cache
def _config(paper: str) -> PaperConfig:
    path = papers()[paper].file("config", f"{paper}.yaml")
    return parse(PaperConfig, read_yaml(path), str(path)) if path.is_file() else PaperConfig()
