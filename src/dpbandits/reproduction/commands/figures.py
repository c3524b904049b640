"""`dpbandits draw`, one figure alone, and `dpbandits plot`, of what `dpbandits simulate` wrote."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from dpbandits.core.errors import InputError

Scale = Annotated[Literal["smoke", "paper", "extended"], "of the tables (default: config.yaml's)"]
TITLES = {"mean": "mean and 95% band", "spread": "mean and range", "none": "mean"}


def draw(
    figure: Annotated[str, "e.g. hu/fig1; see: dpbandits list figures"],
    *,
    scale: Scale = None,
    output: Annotated[Path, "FOLDER (default: results/figures/PAPER)"] = None,
) -> None:
    """Draw one figure, as its notebook does; Snakemake makes the tables that it needs."""
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.ledger.prose import EVERY
    from dpbandits.reproduction.pipeline import figures
    from dpbandits.reproduction.pipeline.tables import load_plan, make
    from dpbandits.reproduction.plots.figures import LEDGER
    from dpbandits.reproduction.studies import table_of

    entry = figures.get_figure(figure)
    plan = load_plan(scale, entry.paper)
    known = claims(entry.paper)
    every = entry.claims == EVERY or (not entry.claims and {*LEDGER} & {*entry.reads})
    names = [*known] if every else [name.split(" (")[0] for name in entry.claims]
    named = [known[name] for name in names]
    reads = {*entry.reads}.union(*(claim.reads for claim in named)).difference(LEDGER)
    make(plan, [plan.table_path(*table_of(entry.paper, name)) for name in sorted(reads)])
    results = Path(plan.places.results)
    folder, out = results / "tables" / entry.paper, output or results / "figures" / entry.paper
    figures.draw(entry.name, judged_now(folder, named), out, plan.run.scale)
    print(Path(out, f"{entry.file}.txt").read_text(encoding="utf-8"))
    print(*sorted(out.glob(f"{entry.file}.*")), sep="\n")


def judged_now(folder: Path, claims: list):
    """A function from the name of a table to the table; of the ledger, the rows of some claims,
    judged now."""
    from dpbandits.reproduction.files import as_read
    from dpbandits.reproduction.pipeline.ledger import check_all
    from dpbandits.reproduction.plots.figures import LEDGER, reader

    @cache
    def ledger():
        return dict(zip(LEDGER, map(as_read, check_all(claims, folder)[:2]), strict=True))

    return lambda name: ledger()[name] if name in LEDGER else reader(folder)(name)


def picture(text: str) -> Path:
    path = Path(text)
    if path.suffix not in (".png", ".pdf", ".svg") or not path.absolute().parent.is_dir():
        raise ValueError(f"{text}: allowed: a name that ends in .png, .pdf or .svg")
    return path


def plot(
    file: Annotated[Path, "FILE.csv"],
    *,
    output: Annotated[picture, "PICTURE: PNG, PDF or SVG"] = None,
    band: Annotated[Literal["mean", "spread", "none"], "95% interval, or the range"] = "mean",
    log: Annotated[Literal["x", "y", "xy", "none"], "logarithmic axes"] = "x",
) -> None:
    """Plot the regret in a file that simulate wrote."""
    from dpbandits.reproduction.pipeline.compare import read_regret
    from dpbandits.reproduction.plots.curves import tidy
    from dpbandits.reproduction.plots.style import DASHES, MARKERS, look, panels
    from dpbandits.reproduction.statistics import bands

    table = read_regret(file)
    output = output or file.with_suffix(".png")
    x = "t" if table["t"].nunique() > 1 or (table["epsilon"] == float("inf")).all() else "epsilon"
    several = table["epsilon"].nunique() > 1 and x == "t"
    figure, axes = panels(1, 1, width="half", height=3.8)
    ax, epsilons = axes[0, 0], list(table["epsilon"].unique())
    keys = ["algorithm", "epsilon"] if x == "t" else ["algorithm"]  # one curve each
    for (name, *at), rows in table.groupby(keys, sort=False):
        label, style = name, look(name)  # one colour per algorithm; a dash and a marker per epsilon
        if several:
            place = epsilons.index(*at)
            label = f"{name}, ε = {at[0]:g}"
            style["linestyle"] = DASHES[place % len(DASHES)]
            style["marker"] = MARKERS[place % len(MARKERS)]
        curve = rows.groupby(x)["regret"].agg(["mean", "sem", "size", "min", "max"]).reset_index()
        ax.plot(curve[x], curve["mean"], label=label, markevery=5, **style)
        if band != "none":
            ends = curve["min"], curve["max"]
            if band == "mean":
                ends = bands(curve["mean"], curve["sem"], curve["size"], curve["min"])
            ax.fill_between(curve[x], *ends, color=style["color"], alpha=0.2, lw=0)
    if "y" in log and not any((line.get_ydata() > 0).any() for line in ax.lines):
        raise InputError("--log y: no regret is above 0; allowed: a linear axis")
    scales = {f"{axis}scale": "log" for axis in log if axis in "xy"}
    ax.set(xlabel={"t": "rounds t", "epsilon": "ε"}[x], ylabel="regret", **scales)
    ax.set_title(f"Regret, {TITLES[band]}, {table['seed'].nunique()} seeds")
    tidy(figure)
    figure.savefig(output)
    print(f"{output}: {len(ax.lines)} curves over {x}")
