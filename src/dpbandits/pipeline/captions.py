"""The line below every figure: on which instance, how long, how many runs, which kind of band.

Settings are those of the config's experiment or study that made a table, at the scale that it was
made at (if that is not known: as far as every scale has them); other numbers are the table's own.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd

from dpbandits.core.algorithms import ALGORITHMS, Algorithm, get_algorithm, get_study
from dpbandits.core.figures import Drawing, Figure
from dpbandits.core.models import parse
from dpbandits.core.registry import papers
from dpbandits.pipeline import CONFIG
from dpbandits.pipeline.config import PaperConfig, RunConfig, read_yaml
from dpbandits.plots.style import not_private
from dpbandits.plots.words import readable

# What stands in the line, by the name of its key in settings and of its column in tables.
NAMES = {
    "means": "means", "d": "d", "dim": "d", "arms": "K", "sparsity": "s", "true_sparsity": "s*",
    "rho": "ρ", "sigma": "σ", "kernel": "kernel", "grid": "grid", "noise": "noise",
    "delta": "δ", "tau": "τ",
    "horizon": "T", "t": "T", "n": "n", "runs": "runs", "data_sets": "data sets",
    "instances": "instances", "samples": "samples", "trials": "trials",
}  # fmt: skip
PARAMS = NAMES | {
    "eta": "η", "beta0": "β₀", "objective_eta": "η of J", "dimension": "d", "penalty": "λ",
    "epsilon": "ε", "gap": "gap", "draws": "data sets", "decay": "decay", "actions": "K",
    "designed": "designed data sets", "seeds": "runs", "beyond": "T Δₘᵢₙ min(Δₘᵢₙ, ε)",
    "context": "context", "preferences": "preferences",
}  # fmt: skip
NOT_SHOWN = {"seed", "points", "levels", "children", "episodes", "rounds", "kept", "series"}
SHARED = ("d", "dim", "arms", "sparsity", "true_sparsity", "rho", "sigma", "delta")  # by default
BAND = "bands and bars: 95% intervals of the mean over runs"
DASHED = "full lines: private at the ε shown; dashed: not private, real ε as said"


def scale_of(folder: str | Path) -> str | None:
    """The scale of the config whose tables stand in a folder."""
    if not CONFIG.is_file():
        return None
    above = Path(folder).resolve().parent
    scales = parse(RunConfig, read_yaml(CONFIG), str(CONFIG)).scales
    return next(
        (s for s, p in scales.items() if above == Path(p.results, "tables").resolve()), None
    )


def caption(
    entry: Figure, drawing: Drawing, tables: Callable[[str], pd.DataFrame], scale: str | None = None
) -> list[str]:
    """What stands below a figure, each sentence of its own."""
    values: dict[str, list] = {}
    means = []
    for name in entry.reads:
        table = tables(name)
        if "metric" in table and "setting" in drawing.data:
            table = table[table["setting"].isin(drawing.data["setting"])]
        means += _settings(entry.paper, name, table, values)
        means += _parameters(entry.paper, name, scale, drawing.data, values)
        for column in [c for c in NAMES if c in table and c != "means"]:
            own = table[column].dropna()
            if column == "delta" and len(own.unique()) > 8:  # measured, not set
                continue
            own = [own.max()] if column == "t" and "metric" in table else own.unique().tolist()
            values.setdefault(NAMES[column], []).extend(own)
    parts = [f"{name} = {_span(own)}" for name, own in values.items() if own]
    line = "; ".join([*dict.fromkeys(means), ", ".join(parts)])
    kinds = [BAND] if {"sem", "runs"} <= set(drawing.data) else []
    drawn = {line.get_gid() for ax in drawing.figure.axes for line in ax.lines} - {None}
    if drawn & set(not_private()):
        kinds.append(DASHED)
    source = f"{entry.name}, after {papers()[entry.paper].title}"
    promises = _promises(_algorithms(entry.paper, drawn))
    texts = (drawing.note, line, "; ".join(kinds), *promises, source)
    return [text for text in texts if text]


def _algorithms(paper: str, drawn: set[str]) -> dict[str, Algorithm]:
    """What curves of these names show: the config's series, or algorithms by their own name."""
    series = [s for e in _config(paper).experiments.values() for s in e.algorithms]
    found = {s.id: get_algorithm(s.name) for s in series if s.id in drawn}
    known = ALGORITHMS.all(paper) if drawn > found.keys() else {}
    return {name: known[name] for name in drawn & known.keys()} | found


def _promises(drawn: dict[str, Algorithm]) -> list[str]:
    """What eps is not that of pure privacy or of the setting's delta, by the algorithms' notions,
    and whose eps is its authors' argument only."""
    said = {}
    for name, algorithm in sorted(drawn.items()):
        claim, notion, delta = algorithm.claim or "", algorithm.notion, algorithm.notion.delta
        if notion.parameter != "epsilon":
            said.setdefault(f"ε stands for the {notion.parameter} of {notion.name}", []).append(
                name
            )
        if delta is not None:
            said.setdefault(f"(ε, δ)-private with δ = {delta:g}", []).append(name)
        if claim.startswith("assumed: ") and "docs/proofs" not in claim:
            said.setdefault("ε as argued by its authors, not audited here", []).append(name)
    return [readable(f"{what}: {', '.join(names)}") for what, names in said.items()]


def _span(values: list) -> str:
    """One value, or the smallest and the largest."""
    if any(isinstance(value, str) for value in values):
        return ", ".join(dict.fromkeys(map(str, values)))
    low, high = min(values), max(values)
    return _number(low) if low == high else f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.3g}"


def _settings(paper: str, name: str, table: pd.DataFrame, values: dict[str, list]) -> list[str]:
    """Adds an experiment's settings to `values`; the arms' means as text, by name of setting."""
    experiment = _config(paper).experiments.get(name)
    means = []
    for id, given in experiment.settings.items() if experiment else ():
        if id not in set(table["setting"]):
            continue
        for series in experiment.algorithms:
            model = get_algorithm(series.name).setting
            known = {**{k: v[0] for k, v in experiment.vary.items()}, **given, **series.with_}
            full = parse(model, known, f"{paper}.{name}").model_dump()
            for key in (k for k in NAMES if k in given or (k in SHARED and k in full)):
                if key not in table and key != "means":
                    values.setdefault(NAMES[key], []).append(full[key])
        if "means" in given:
            means.append(f"{id}: means {', '.join(map(str, given['means']))}")
    return means


def _parameters(
    paper: str, name: str, scale: str | None, data: pd.DataFrame, values: dict[str, list]
) -> list[str]:
    """What a study's table was computed with and does not say itself; a problem's as text."""
    study = _config(paper).studies.get(name)
    if study is None:
        return []
    place = study.study or f"{paper}/{name}"
    chosen = study.params | study.scales.get(scale, {})
    full = parse(get_study(place).params, chosen, place).model_dump()
    scaled = set() if scale else {key for over in study.scales.values() for key in over}
    varied = set(data["varied"]) if "varied" in data else set()
    drawn = {*data.columns, *(varied if len(varied) == 1 else ())}
    texts = []
    for key in [k for k in full if k not in scaled | NOT_SHOWN | drawn]:
        if key == "base":  # per problem, or what a panel's title says
            if "problem" not in data:
                continue
            own = {problem: study.params[key][problem] for problem in data["problem"].unique()}
            texts += [f"{problem}: {_listed(given, drawn)}" for problem, given in own.items()]
        elif key in ("setting", "settings"):
            given = study.params[key]
            for setting in [given] if key == "setting" else given.values():
                if not isinstance(setting, dict):  # of a bandit: its means
                    continue
                setting = {"dim": 1} | setting if "kernel" in setting else setting
                for k in [k for k in setting if k in PARAMS.keys() - drawn]:
                    values.setdefault(PARAMS[k], []).append(setting[k])
        elif isinstance(full[key], (int, float, str)):
            values.setdefault(PARAMS.get(key, key.replace("_", " ")), []).append(full[key])
    return texts


def _listed(given: dict, drawn: set[str]) -> str:
    known = [key for key in given if key not in drawn]
    return ", ".join(f"{PARAMS.get(key, key)} = {_number(given[key])}" for key in known)


@cache
def _config(paper: str) -> PaperConfig:
    path = papers()[paper].file("config", f"{paper}.yaml")
    return parse(PaperConfig, read_yaml(path), str(path)) if path.is_file() else PaperConfig()
