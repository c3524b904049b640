"""The passages of pages that are made of rows and tables, which pages.py finds in them:

- `<!-- row: ROW -->`: a row's own sentence;
- `<!-- seen: FIGURE -->`: what a figure says of what is drawn;
- `<!-- cell: FILE COLUMN:FORMAT KEY=VALUE ... -->`: a number in a table;
- `<!-- made: NAME -->`: what the function NAME returns, which takes nothing.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby, product
from operator import eq
from pathlib import Path

import numpy as np
import pandas as pd

from dpbandits.audit.questions import audit
from dpbandits.reproduction.fl.claims.privacy import DELTA, PROMISED, one_step
from dpbandits.reproduction.hu.figures.regret import FAMILIES
from dpbandits.reproduction.hu.summaries import standing
from dpbandits.reproduction.ledger.prose import said_and_seen
from dpbandits.reproduction.ledger.rows import (
    Row,
    by_cause,
    read_ledger,
    severities,
    wrong_statements,
)
from dpbandits.reproduction.ledger.rows import of_papers as papers_alone
from dpbandits.reproduction.ledger.verdicts import FAILS, NO_NUMBER
from dpbandits.reproduction.ours.claims.regret import OURS, averaged, compared
from dpbandits.reproduction.papers import OWN, papers
from dpbandits.reproduction.plots.beside import read_beside
from dpbandits.reproduction.plots.figures import FIGURES
from dpbandits.reproduction.plots.words import formulas, readable
from dpbandits.reproduction.report.front import PAPERS
from dpbandits.reproduction.report.markdown import (
    KINDS,
    by_figure,
    markdown_row,
    markdown_table,
    published_figures,
)
from dpbandits.reproduction.statistics import LEVEL, span

ROOT = Path(__file__).parents[4]  # of a checkout
MADE: dict[str, Callable[[], str]] = {}


def made(function: Callable[[], str]) -> Callable[[], str]:
    """Register a passage."""
    MADE[function.__name__] = function
    return function


@cache
def published_rows() -> list[Row]:
    return read_ledger(ROOT / "figures/claims.csv")


@cache
def table(name: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / name, keep_default_na=False)


def of_papers() -> list[Row]:
    """The rows about the four papers."""
    return papers_alone(published_rows())


def row(name: str) -> str:
    (found,) = (row for row in published_rows() if row.name == name)
    return formulas(found.short)


def seen(figure: str) -> str:
    """Without what the text beside the picture quotes of rows."""
    claims = FIGURES.get(figure).claims
    quoted = readable(said_and_seen(claims, published_rows())[2]) if claims else ""
    return read_beside(ROOT / f"figures/{figure}.txt")["We see"].removeprefix(quoted).strip()


def cell(place: str) -> str:
    file, value, *keys = place.split()
    rows, (column, form) = table(file), value.split(":")
    for key, own in (text.split("=") for text in keys):
        rows = rows[rows[key].astype(str).isin([own, f"{own}.0"])]
    (number,) = rows[column].unique()
    return format(float(number), form)


SOURCES = {"row": row, "seen": seen, "cell": cell, "made": lambda name: MADE[name]()}


# Statements -------------------------------------------------------------------------------------

PLACES = {  # of the error, by severity: the words of README
    "conclusion": "in the conclusion", "constant": "in a constant",
    "condition": "need an extra condition", "step": "in a proof step",
    "wording": "are misprints or slips of wording", "experiment": "are experiments",
}  # fmt: skip


@made
def wrong_by_severity() -> str:
    """Each wrong statement once, by the worst severity of its readings."""
    rows = of_papers()
    wrong = wrong_statements(rows)
    named = ", ".join(f"{number} {PLACES[key]}" for key, number in severities(wrong).items())
    return (
        f"We checked {len({row['id'] for row in rows})} statements; {len(wrong)} are wrong as "
        f"printed: {named}. They go back to {len(by_cause(wrong))} errors, as one error can make "
        f"several statements wrong, and the wrong conclusions to "
        f"{len(by_cause(wrong, 'conclusion'))}. Some statements can be read in several ways, which "
        f"gives {len(rows)} readings ([ledger](../figures/claims.md)); "
        f"{sum(r['verdict'] in FAILS for r in rows)} of them fail."
    )


@made
def corrected_statements() -> str:
    found = Counter(row["repaired_verdict"] for row in wrong_statements(of_papers()))
    still = f", of {found['open']} none is known" * bool(found["open"])
    return (
        f"Each wrong statement has a corrected version: {found['holds']} of these are proved or "
        f"computed, {found['consistent']} agree with simulations{still}."
    )


@made
def panels() -> str:
    found = published_figures(of_papers())
    failed = [sum(any(part["verdict"] in FAILS for part in entry[kind] or entry["printed"])
                  for entry in found) for kind in KINDS]  # fmt: skip
    return (
        f"Of the {len(found)} published panels of HU and FL {failed[0]} are rejected with the "
        f"constants as printed, {failed[1]} with those of the released code"
    )


@made
def figures_in_short() -> str:
    """One line for each published figure that has a picture of its own here."""
    lines = [
        [f"{entry['paper']} {entry['name']}", *(_outcome(entry[kind]) for kind in KINDS)]
        for entry in by_figure(published_figures(of_papers()))
    ]
    ours = "constants of the text", "constants of the released code"
    return markdown_table(["figure", *ours], lines)


def _outcome(parts: list[dict]) -> str:
    """What the paper says about a figure, our verdicts on it, with a link to ours."""
    if not parts:
        return "none released"
    said, ours = {}, {}
    for part in parts:
        said.setdefault(part["says"], Counter())[part["verdict"]] += 1
        ours[part["says"]] = f" (ours: {formulas(part['ours'])})" * (part["deviation"] != NO_NUMBER)
    texts = []
    for says, verdicts_of in said.items():
        many = len(verdicts_of) == 1 and verdicts_of.total()
        named = ", ".join(verdicts_of) + f" in all {many} panels" * (many > 2)
        texts.append(f"“{says}”: {named}{ours[says]}" if len(said) > 1 else named)
    return f"{'; '.join(texts)} ([ours](figures/{parts[0]['picture']}.png))"


@made
def statements_by_paper() -> str:
    """A line for each paper: statements, those that need a change, those in the conclusion."""
    lines = []
    for key in papers():
        rows = [row for row in of_papers() if row["paper"] == key.upper()]
        if rows:
            wrong = wrong_statements(rows)
            worst = sum(row["severity"] == "conclusion" for row in wrong)
            links = f"[paper](https://arxiv.org/abs/{PAPERS[key]['arxiv']})"
            name = f"**{key.upper()}**: {links}, [letter](figures/{key}/letter.md)"
            counts = len({row["id"] for row in rows}), len(wrong), worst
            lines.append([name, *counts])
    names = ["paper", "statements checked", "wrong as printed", "in the conclusion"]
    return markdown_table(names, lines)


@made
def certificates() -> str:
    files = [path.read_text("utf-8") for path in (ROOT / "certificates").glob("*.json")]
    data, count = sum("data" in json.loads(file) for file in files), len(files)
    both = f"({data} computed from data sets, {count - data} inequalities between numbers)"
    named = f"{count} refutations are [certificates](../certificates)"
    return f"{named} that plain Python checks {both}"


@made
def level() -> str:
    return f"{LEVEL:g}"


# Grades -----------------------------------------------------------------------------------------

FIRST, AGAIN = ("first", "second"), ("again", "again_second")  # who graded, when; columns


@cache
def gradings() -> list[Row]:
    return read_ledger(ROOT / "benchmarks/gradings/severities.csv")


def graded(readers: tuple[str, str]) -> list[Row]:
    """The rows that two readers graded: at first, or again, when rows had changed."""
    return [row for row in gradings() if row[readers[0]]]


def agreed(readers: tuple[str, str]) -> tuple[str, str]:
    """How often two readers agree, and Cohen's kappa."""
    from sklearn.metrics import cohen_kappa_score

    one, other = ([row[who] for row in graded(readers)] for who in readers)
    return f"{sum(map(eq, one, other))} of {len(one)} rows", f"{cohen_kappa_score(one, other):.2f}"


def said_of(graded: Row) -> str:
    """What the ledger says of a graded row, in the readers' words."""
    for row in published_rows():
        if row.name == graded.name:
            return "open" if row["verdict"] == "untestable" else row["severity"] or "none"
    return "no row"


@made
def graded_again() -> str:
    (same, kappa), said = agreed(AGAIN), {row.name: said_of(row) for row in graded(AGAIN)}
    differ = (
        row.name
        for row in graded(AGAIN)
        if row["again"] == row["again_second"] and said[row.name] not in (row["again"], "no row")
    )
    ours = (row.name for row in published_rows() if row["paper"] == OWN.upper())
    return (
        f"They agree on {same} (kappa {kappa}). Where they agree the ledger says what they say, "
        f"but for: {', '.join(differ) or 'none'}. {[*said.values()].count('no row')} of the graded "
        "statements are not in the ledger. Rows on ourselves that came later and were not graded: "
        f"{', '.join(name for name in ours if name not in said) or 'none'}."
    )


@made
def grades_again_that_differ() -> str:
    lines = ["| row | first reader | second reader | the ledger says |", "|---|---|---|---|"]
    for row in graded(AGAIN):
        says = said_of(row)
        if row["again"] != row["again_second"] or says not in (row["again"], "no row"):
            lines.append(markdown_row([row.name, *why(row, AGAIN), says]))
    return "\n".join(lines)


def why(row: Row, readers: Iterable[str]) -> list[str]:
    """The grade of each, and why."""
    return [f"{row[who]}: {row[f'why_{who}']}" for who in readers]


@made
def agreement() -> str:
    (same, kappa), rows = agreed(FIRST), graded(FIRST)
    milder = [row.name for row in rows if row["first"] == row["second"] != row["settled"]]
    return (
        f"They agree on {same}; Cohen's kappa is {kappa}. Where they agree, the row has "
        f"their grade, but for {len(milder)} that we overruled, all to a milder grade or to "
        f"none: {', '.join(milder)}. Kappa says nothing of these: it compares the two readers with "
        "each other."
    )


@made
def grades_that_differ() -> str:
    lines = ["| row | first reader | second reader | grade, and why |", "|---|---|---|---|"]
    for row in graded(FIRST):
        if row["first"] != row["second"] or row["settled"] != row["first"]:
            name = row["id"] + f", {row['reading']}" * (not row.printed)
            line = markdown_row([name, *why(row, (*FIRST, "settled"))])
            lines.append(line.replace(" : by", " none: by"))
    return "\n".join(lines)


# Privacy ----------------------------------------------------------------------------------------

NOISY_MAX = {"arms": 2, "rounds": 4096, "adjacency": "replace"}


@cache
def promised() -> list[tuple[str, str, float, str]]:
    """(problem, method, true over promised epsilon, how it is known): a table of docs/index.md."""
    us, kl = table("figures/us/privacy.csv"), table("figures/kl/tightness.csv")
    kl = kl.loc[kl.groupby("claim")["worst"].idxmax()].set_index("claim")
    at = json.loads(kl["data_set"]["KL-T3-pure"])["B"]
    noisy = {
        noise: audit("rnm", scale=scale, noise=noise, **NOISY_MAX).pure_epsilon
        for noise, scale in (("laplace", 1), ("exponential", 2))
    }
    steps = [one_step(epsilon).epsilon(DELTA) / epsilon for epsilon in PROMISED]  # claim FL-T5.1
    one = f"at least: {span(steps, '.2f')}, by ε; at 13 steps nothing is refuted"
    preferences = f"largest found (B = {at:.2g}); at most 4"
    return [
        ("bandits", "Lazy-DP-TS", 1.0, "Theorem 4, exact for short runs"),
        ("experts", "RNM-FTNL as printed", noisy["laplace"], "exact"),
        ("experts", "RNM-FTNL, variant phase", noisy["exponential"], "exact"),
        ("sparse", "FLIPHAT, 1 step, contexts to 3.46", max(steps), one),
        ("sparse", "FLIPHAT as run in Section 6", float("inf"), "contexts without bound"),
        ("sparse", "FLIPHAT, preset zcdp", 1.0, "at most: Theorem B1"),
        ("kernel", "USCA as printed", us["worst"].max(), "exact, largest seen"),
        ("kernel", "USCA, calibration exact", 1.0, "exact"),
        ("KL", "Theorem 1 (bandits)", kl["worst"]["KL-T1-pure"], "largest found"),
        ("KL", "Theorem 3 (preferences)", kl["worst"]["KL-T3-pure"], preferences),
    ]


@made
def promises() -> str:
    """The true loss over the promised one."""
    lines = ["| problem | method | true loss / promised | how it is known |", "|---|---|---|---|"]
    for problem, name, ratio, how in promised():
        kept, number = ratio <= 1 + 1e-6, f"{ratio:.2f}" if math.isfinite(ratio) else "∞"
        lines.append(markdown_row([problem, name, number if kept else f"**{number}**", how]))
    return "\n".join(lines)


# Tables of pages --------------------------------------------------------------------------------

NOT_PRIVATE = {"thompson": "Thompson sampling, not private", "random-arm": "play at random"}
SIZES = ["family", "epsilon", "t"]
OTHERS = {
    "two": "2 arms", "ten_ahead": "10 arms, one ahead by 0.05",
    "five_ahead": "5 arms, one ahead by 0.1", "twenty_ahead": "20 arms, one ahead by 0.5",
}  # fmt: skip


def which_table() -> pd.DataFrame:
    return table("figures/hu/which.csv")


def _regret(row) -> str:
    """Mean, and 95th percentile."""
    mean, p95 = (float(f"{row[key]:.3g}") for key in ("mean", "p95"))
    mean, p95 = (f"{x:,.0f}" if x >= 100 else f"{x:g}" for x in (mean, p95))
    return f"{mean} ({p95})"


def _beside_the_best(size) -> str:
    """na-imed and the best other; the lower one bold if it is lower beyond doubt, = if level."""
    how, rival = standing(size)
    rows = size.set_index("algorithm")
    own, other = (f"{name} {_regret(rows.loc[name])}" for name in ("na-imed", rival))
    own, other = (
        f"**{own}**" if how == "lower" else own,
        f"**{other}**" if how == "higher" else other,
    )
    return (
        f"{'– ' if how == 'little learned' else ''}{own}{' = ' if how == 'level' else '; '}{other}"
    )


@made
def bandits_by_size() -> str:
    """docs/which.md: of each size the best two, and beside them what is not private."""
    lines = ["| | 10³ rounds | 10⁴ | 10⁵ | 10⁶ |", "|---|---|---|---|---|"]
    for family, name in FAMILIES.items():
        rows = which_table()[which_table()["family"] == family]
        for epsilon, own in rows.groupby("epsilon"):
            cells = [_beside_the_best(group) for _, group in own.groupby("t")]
            lines.append(f"| {name}, ε = {epsilon:g} | {' | '.join(cells)} |")
        own = rows[rows["epsilon"] == rows["epsilon"].iloc[-1]]
        for algorithm, said in NOT_PRIVATE.items():
            cells = [_regret(row) for _, row in own[own["algorithm"] == algorithm].iterrows()]
            lines.append(f"| {name}: {said} | {' | '.join(cells)} |")
    return "\n".join(lines)


def standings() -> dict[tuple, tuple[str, str]]:
    return {place: standing(rows) for place, rows in which_table().groupby(SIZES, sort=False)}


@made
def standing_at_all_sizes() -> str:
    places = standings().values()
    found = Counter(how for how, _ in places)
    return (
        f"it has the lowest mean regret of all private learners at {found['lower']} of "
        f"{len(places)} sizes, another has a lower one at {found['higher']}, both are level at "
        f"{found['level']}, and {found['open']} are not decided; at {found['little learned']} no "
        "private learner saves a tenth of random play's regret"
    )


@made
def where_another_is_lower() -> str:
    lines = []
    for (family, epsilon, t), (how, rival) in standings().items():
        if how == "higher":
            size = which_table().query("family == @family and epsilon == @epsilon and t == @t")
            ratio = size.set_index("algorithm").loc[rival, "ratio"]
            name = (FAMILIES | OTHERS)[family]
            lines.append([name, f"{epsilon:g}", f"{t:,}", rival, f"{ratio:.2f}"])
    return markdown_table(["", "ε", "rounds", "learner", "its regret / that of na-imed"], lines)


@made
def tails() -> str:
    """docs/which.md: the 99th percentiles of the two nearest rivals from 10^5 rounds on."""
    rows = which_table().query("t >= 10**5").set_index([*SIZES, "algorithm"])["p99"]
    logs = np.log(rows).unstack()
    over = logs.sub(logs["na-imed"], axis=0).groupby(["epsilon", "t"]).mean()
    ends = [
        (np.exp(over[name].min()), np.exp(over[name].max())) for name in ("dp-imed", "dp-klucb")
    ]
    said = ("{:.2f} to {:.2f} times that of `na-imed`".format(*pair) for pair in ends)
    return "that of `dp-imed` is {}, that of `dp-klucb` {}".format(*said)


@made
def their_picture() -> str:
    """docs/rivals.md: our regret over that of a picture by DP-KLUCB's authors, at its end."""
    data = table("figures/hu/azize_slide.csv")
    last = data[data["t"] == data["t"].max()].set_index("algorithm")
    last = last.loc[["lazy-dp-ts", "adap-klucb", "dp-klucb", "dp-imed", "dp-se"]]
    ends = last[["mean", "low", "high"]].div(last["published"].astype(float), axis=0)
    said = (f"`{row.Index}` {row.mean:.2f} ({row.low:.2f} to {row.high:.2f})"
            for row in ends.itertuples())  # fmt: skip
    return ", ".join(said)


def of_contexts() -> pd.DataFrame:
    """Of the figures of people with contexts; d is 0 where a table has it."""
    names = ("contexts", "contexts_strict", "contexts_loose", "contexts_tables")
    data = pd.concat([table(f"figures/fl/{name}.csv") for name in names])
    return data.fillna({"d": 0}).set_index(["setting", "d", "epsilon", "t"])


@made
def rebuilt() -> str:
    """docs/rivals.md: where AdaPrivate-TS, as rebuilt, has less regret than ours."""
    data = of_contexts()
    theirs, said = data[data["algorithm"] == "dense-adaprivate-ts"], []
    for name in ("leaky-linear", "dense-dp-linear"):
        own = data[data["algorithm"] == name].loc[theirs.index]
        less = theirs["mean"] < 0.95 * own["mean"]
        far = less & (own["mean"] - theirs["mean"] > 2 * np.hypot(own["sem"], theirs["sem"]))
        where = "".join(
            f", {count} of `{kind}`"
            for kind, count in theirs[less].index.get_level_values("setting").value_counts().items()
        )
        said.append(
            f"that of `{name.removeprefix('dense-')}` at {less.sum()} of {len(less)} places (by "
            f"more than two standard errors at {far.sum()}){where}"
        )
    return "; ".join(said)


DECIDE = {
    "normal": "normal", "sparse": "five matter", "skewed": "skewed", "clusters": "three kinds",
    "cancer": "tumours", "digits": "digits", "wine": "wine", "thornton": "Thornton",
}  # fmt: skip


@made
def where_others_are_lower() -> str:
    """docs/how-to/contexts-of-your-own.md: at which numbers of people another learner has no more
    mean regret than leaky-linear."""
    data = of_contexts()
    means = data.pivot_table("mean", data.index.names, "algorithm")
    others, values = ("dense-dp-linear", "dense-na-imed-cells"), (0.5, 1, 3)
    lines = []
    for kind, said in DECIDE.items():
        for d, rows in means.loc[kind].groupby(level="d"):
            own = [
                spans(at[other] <= at["leaky-linear"])
                for other in others
                for at in (rows.loc[d].loc[epsilon] for epsilon in values)
            ]
            lines.append([f"{said}, {d:.0f}" if d else said, *own])
    names = [f"{name}, ε = {values[0]}" for name in ("`dp-linear`", "groups")]
    return markdown_table(["people", names[0], "1", "3", names[1], "1", "3"], lines)


def spans(true: pd.Series) -> str:
    """The numbers of people at which it is true."""
    t, found = [f"{people:,}" for people in true.index], []
    for value, run in groupby(range(len(t)), key=lambda i: bool(true.iloc[i])):
        places = [*run]
        first, last = places[0], places[-1]
        start = f"from {t[first]}" if first else ""
        end = f"to {t[last]}" if last < len(t) - 1 else ""
        if value:
            found.append(t[first] if first == last else f"{start} {end}".strip() or "always")
    return ", ".join(found) or "–"


@made
def edges() -> str:
    """Of hu/rivals_tuning, where the best value is the least or the largest that was
    tried: the regret with the one next to it, over the least."""
    data = table("figures/hu/rivals_tuning.csv")
    found = []
    for name, key in product(("dp-klucb", "dp-imed"), ("growth", "first_batch")):
        own = data[data["algorithm"] == name].astype({key: float})
        for times in own.groupby(["epsilon", key])["times"].min().unstack().to_numpy():
            best = int(times.argmin())
            found += [times[1]] * (best == 0) + [times[-2]] * (best == len(times) - 1)
    return f"at {len(found)} places, and there the next one has at most {max(found):.2f} times"


@made
def instances() -> str:
    runs = which_table().groupby("algorithm")["runs"].agg(["max", "min"])
    few = ", ".join(f"the first {runs['min'][x]} for `{x}`" for x in ("lazy-dp-ts", "thompson"))
    short, long = runs.loc["na-imed"]
    return f"{short} random instances for each size ({long} above 10⁴ rounds, of which {few})"


RIVALS = ("dp-imed", "dp-klucb", "lazy-dp-ts", "adap-klucb", "adap-klucb-0.5", "adap-klucb-0.25")


@made
def ratios_to_rivals() -> str:
    """docs/rivals.md: those of row OURS-R1, and of the 95th percentiles."""
    rows = compared(lambda _: which_table(), [*RIVALS])
    own = which_table()[which_table()["algorithm"] == OURS].set_index(SIZES)["p95"]
    tails = rows["p95"] / own.reindex(pd.MultiIndex.from_frame(rows[SIZES])).to_numpy()
    tails, rows = averaged(rows.assign(ratio=tails))["ratio"], averaged(rows)
    rounds = {1000: "10³ rounds", 10**4: "10⁴", 10**5: "10⁵", 10**6: "10⁶"}
    lines = [f"| | {' | '.join(rounds.values())} |", "|---|---|---|---|---|"]
    for rival in RIVALS:
        for epsilon in which_table()["epsilon"].unique():
            own = [(rival, epsilon, t) for t in rounds]
            ends = ("{:.2f} ({:.2f} to {:.2f})".format(*row) for row in rows.loc[own].to_numpy())
            cells = (f"{text}; {p95:.2f}" for text, p95 in zip(ends, tails.loc[own], strict=True))
            lines.append(f"| {rival}, ε = {epsilon:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


WITHOUT = "{} without privacy"
PRICED = {
    "leaky-linear": "leaky-linear", "dense-dp-linear": "dp-linear",
    "dense-adaprivate-ts": "AdaPrivate-TS, rebuilt from its abstract",
    "dense-na-imed": "NA-IMED without contexts",
    "dense-na-imed-cells": "NA-IMED in eight public groups",
    "dense-linucb": WITHOUT.format("LinUCB"),
    "dense-lints": WITHOUT.format("Thompson sampling"),
}  # fmt: skip


@made
def price_of_privacy() -> str:
    """Of figures/fl/contexts_tables.csv; a random diagnosis, one of two, is right half of the
    time."""
    rows = table("figures/fl/contexts_tables.csv").query("setting == 'cancer' and epsilon == 1")
    times = (569, 1797, 5000, 20_000)
    lines = []
    for name, said in PRICED.items():
        own = rows[rows["algorithm"] == name].set_index("t").loc[[*times]]
        cells = (f"{1 - r.mean / 2:.2f} ({r.sem / 2:.2f})" for r in own.itertuples())
        lines.append([said, *cells])
    return markdown_table(["people", *(f"{t:,}" for t in times)], lines)
