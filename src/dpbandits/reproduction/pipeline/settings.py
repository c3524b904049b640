"""The settings of a figure in words: the problem, the horizon, the number of runs, what bands mean.

The parameters are those of the experiment or study behind each table, at the scale of the run (if
that is not known, those which are the same at all scales); other numbers are read from the tables.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd

from dpbandits.core.algorithms import ALGORITHMS, Algorithm, get_algorithm
from dpbandits.core.documents import read_yaml
from dpbandits.core.models import parse
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.pipeline.config import Experiment, PaperConfig, RunConfig, StudyConfig
from dpbandits.reproduction.plots.figures import Drawing, Figure
from dpbandits.reproduction.plots.style import not_private
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.studies import get_study

# What is said: key of a setting, or column of a table -> its name.
NAMES = {
    "means": "means", "d": "d", "dim": "d", "arms": "K", "sparsity": "s", "true_sparsity": "s*",
    "rho": "ρ", "sigma": "σ", "kernel": "kernel", "grid": "grid", "noise": "noise",
    "delta": "δ", "tau": "τ",
    "horizon": "T", "t": "T", "n": "n", "runs": "runs", "data_sets": "data sets",
    "instances": "instances", "samples": "samples", "trials": "trials",
}  # fmt: skip
# The same for parameters of studies; others have their key as name.
PARAMS = NAMES | {
    "eta": "η", "beta0": "β₀", "objective_eta": "η of J", "dimension": "d", "penalty": "λ",
    "epsilon": "ε", "gap": "gap", "draws": "data sets", "decay": "decay", "actions": "K",
    "designed": "designed data sets", "seeds": "runs", "beyond": "T Δₘᵢₙ min(Δₘᵢₙ, ε)",
    "context": "context", "preferences": "preferences",
}  # fmt: skip
NOT_SHOWN = {"seed", "points", "levels", "children", "episodes", "rounds", "kept", "series"}
# keys of settings that are shown although they have their default
SHARED = ("d", "dim", "arms", "sparsity", "true_sparsity", "rho", "sigma", "delta")
BAND = "bands and bars are 95% intervals of the mean over runs"
DASHED = "full lines are private at the ε shown; dashed ones are not"


Values = defaultdict[str, list]  # name -> values, of which the range is said


def scale_of(folder: str | Path) -> str | None:
    """The scale whose tables are in a folder, by the config of the checkout; None if unknown."""
    if not CONFIG.is_file():
        return None
    results = Path(folder).resolve().parent
    scales = parse(RunConfig, read_yaml(CONFIG), str(CONFIG)).scales
    tables = {Path(places.results, "tables").resolve(): scale for scale, places in scales.items()}
    return tables.get(results)


def settings_of(
    entry: Figure, drawing: Drawing, tables: Callable[[str], pd.DataFrame], scale: str | None = None
) -> str:
    """The settings behind a figure, as sentences."""
    config = _config(entry.paper)
    values: Values = defaultdict(list)
    problems: list[str] = []
    for name in entry.reads:
        table = tables(name)
        if "metric" in table and "setting" in drawing.data:
            table = table[table["setting"].isin(drawing.data["setting"])]
        if name in config.experiments:
            where = f"{entry.paper}.{name}"
            problems += _add_settings(values, config.experiments[name], where, table)
        if name in config.studies:
            study = config.studies[name]
            place = study.study or f"{entry.paper}/{name}"
            problems += _add_parameters(values, study, place, scale, drawing.data)
        _add_columns(values, table)
    numbers = ", ".join(f"{name} = {_span(own)}" for name, own in values.items() if own)
    series = set(drawing.data["algorithm"]) if "algorithm" in drawing.data else set()
    sentences = [drawing.note, "; ".join([*dict.fromkeys(problems), numbers])]
    sentences += [BAND] if {"sem", "runs"} <= set(drawing.data) else []
    sentences += [DASHED] if series & set(not_private()) else []
    sentences += _promises(_algorithms(entry.paper, series))
    return " ".join(f"{_begun(s).rstrip('.')}." for s in sentences if s)


def _begun(sentence: str) -> str:
    """With a capital letter, unless it begins with a symbol or the name of an algorithm."""
    word = sentence.split()[0]
    is_word = word.isascii() and word.isalpha() and len(word) > 1
    return sentence[0].upper() + sentence[1:] if is_word else sentence


def _add_settings(
    values: Values, experiment: Experiment, where: str, table: pd.DataFrame
) -> list[str]:
    """Add an experiment's settings in a table to `values`; return the means of arms as texts."""
    texts = []
    first = {key: choices[0] for key, choices in experiment.vary.items()}
    keys = [key for key in NAMES if key not in table and key != "means"]
    for id, setting in experiment.settings.items():
        if id not in set(table["setting"]):
            continue
        for series in experiment.algorithms:
            model = get_algorithm(series.name).setting
            full = parse(model, first | setting | series.with_, where).model_dump()
            for key in keys:
                if key in setting or (key in SHARED and key in full):
                    values[NAMES[key]].append(full[key])
        if "means" in setting:
            texts.append(f"{id}: means {', '.join(map(str, setting['means']))}")
    return texts


def _add_parameters(
    values: Values, study: StudyConfig, place: str, scale: str | None, data: pd.DataFrame
) -> list[str]:
    """Add a study's parameters to `values`, without those that are drawn; return texts on its
    problems."""
    params = parse(get_study(place).params, study.at(scale), place).model_dump()
    drawn = set(data.columns)
    hidden = drawn | NOT_SHOWN
    if not scale:
        hidden |= {key for overrides in study.scales.values() for key in overrides}
    texts = []
    for key in [key for key in params if key not in hidden]:
        if key == "base":  # the parameters of each problem, unless a panel's title has them
            for problem in data["problem"].unique() if "problem" in data else ():
                moved = (
                    set(data["varied"][data["problem"] == problem]) if "varied" in data else set()
                )
                texts.append(f"{problem}: {_listed(study.params[key][problem], drawn, moved)}")
        elif key in ("setting", "settings"):
            given = study.params[key]
            settings = [given] if key == "setting" else given.values()
            for setting in [setting for setting in settings if isinstance(setting, dict)]:
                setting = {"dim": 1} | setting if "kernel" in setting else setting
                for name in [name for name in setting if name in PARAMS and name not in drawn]:
                    values[PARAMS[name]].append(setting[name])
        elif isinstance(params[key], (int, float, str)):
            values[PARAMS.get(key, key.replace("_", " "))].append(params[key])
    return texts


def _listed(params: dict, drawn: set[str], moved: set[str]) -> str:
    """moved: drawn, too, but if there are several, each is fixed where another one is drawn."""
    hidden = drawn | (moved if len(moved) == 1 else set())
    texts = [
        f"{PARAMS.get(key, key)} = {_number(value)}" + " where it is fixed" * (key in moved)
        for key, value in params.items()
        if key not in hidden
    ]
    return ", ".join(texts)


def _add_columns(values: Values, table: pd.DataFrame) -> None:
    """Add the columns of a table that have a name."""
    for column in [column for column in NAMES if column in table and column != "means"]:
        numbers = table[column].dropna()
        if column == "t" and "metric" in table:
            values[NAMES[column]].append(numbers.max())
        elif column != "delta" or numbers.nunique() <= 8:  # more are measured, not set
            values[NAMES[column]] += numbers.unique().tolist()


def _algorithms(paper: str, drawn: set[str]) -> dict[str, Algorithm]:
    """The algorithms of the curves with these names: series of the config, or algorithms."""
    series = [s for e in _config(paper).experiments.values() for s in e.algorithms]
    by_series = {s.id: get_algorithm(s.name) for s in series if s.id in drawn}
    known = ALGORITHMS.all(paper) if drawn > by_series.keys() else {}
    return {name: known[name] for name in drawn & known.keys()} | by_series


def _promises(algorithms: dict[str, Algorithm]) -> list[str]:
    """What the epsilon of algorithms means where it is not pure privacy or has a delta of its own,
    and whose epsilon is only argued by the authors."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, algorithm in sorted(algorithms.items()):
        claim, notion = algorithm.claim or "", algorithm.notion
        if notion.parameter != "epsilon":
            names[f"ε stands for the {notion.parameter} of {notion.name}"].append(name)
        if notion.delta is not None:
            names[f"(ε, δ)-private with δ = {notion.delta:g}"].append(name)
        if claim.startswith("assumed: ") and "docs/proofs" not in claim:
            names["ε as argued by its authors, not audited here"].append(name)
    return [readable(f"{promise}: {', '.join(own)}") for promise, own in names.items()]


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
