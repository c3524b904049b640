"""A letter to the authors of each paper, in Markdown, from the rows of the ledger.

The prose is in texts.toml and papers.toml; what is measured or counted comes from the rows.
"""

import re
from collections.abc import Iterable

import pandas as pd

from dpbandits.core.files import write_text
from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.ledger.formal import theorems, with_coq_result
from dpbandits.reproduction.ledger.prose import briefly, details, stopped, three_sentences
from dpbandits.reproduction.ledger.rows import (
    Row,
    by_cause,
    read_ledger,
    severities,
    wrong_statements,
)
from dpbandits.reproduction.ledger.verdicts import COLUMNS, MEANING, SEVERITIES
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.plots.words import formulas
from dpbandits.reproduction.report.front import PAPERS, SENTENCES, TEXTS

NOTATION = "We restate your statements in this notation."
TOLD = ("counterexample", "measured", "bound", "proof_step")
SERIOUS = ("conclusion", "constant")  # the severities of the failures in a letter
OTHER_ROW = re.compile(
    r" \((?:(?:see )?the )?(?:next|last) (?:row|reading)\)"
)  # no row is beside it


def write_ledger(
    papers: list[str], verdicts: list[str], coq: list[str], letters: list[str], out: str
) -> None:
    """Put the verdicts of a run's papers together with what Coq has proved; write the letters.
    papers: keys, each with a file of verdicts and of a letter. coq: files of what it proved."""
    proved = [theorem for path in coq for theorem in theorems(path)]
    rows = [with_coq_result(row, proved) for path in verdicts for row in read_ledger(path)]
    write_csv(pd.DataFrame(rows, columns=list(COLUMNS)), out)
    for key, path in zip(papers, letters, strict=True):
        write_text(letter(key, rows), path)


def letter(key: str, ledger: list[Row]) -> str:
    """The letter about the paper `key`."""
    rows = [row for row in ledger if row["paper"].lower() == key]
    about, texts, wrong = PAPERS.get(key, {}), TEXTS.get(key, {}), wrong_statements(rows)
    told = causes(wrong, texts.get("causes", {}))
    counts = "; ".join(f"{n} *{s}* ({MEANING[s]})" for s, n in severities(wrong).items())
    example = next(iter([*told, *(row["id"] for row in (*wrong, *rows))]), key.upper())
    by = ", ".join(about[name] for name in ("authors", "year") if name in about)
    arxiv = f", [arXiv {about['arxiv']}](https://arxiv.org/abs/{about['arxiv']})"
    parts = [
        f"# To the authors of “{papers()[key].title}”",
        f"{by}{arxiv if 'arxiv' in about else ''}. {about.get('read', '')} "
        "From the dpbandits developers.",
        f"{texts.get('experiments', '')} We checked {len({row['id'] for row in rows})} statements "
        f"of your paper, in {len(rows)} readings (arXiv's HTML has no page numbers, so we cite "
        f"theorems, sections and equations). As printed, {_failing(wrong)}. By severity: "
        f"{counts}. They go back to {len(by_cause(wrong))} errors, as one error can make "
        f"several statements wrong{_conclusions(wrong)}. A [picture](refuted.png) shows by "
        f"how much each fails. The main errors ({len(told)}) have a section each. Please "
        "tell us where we are wrong: we will correct it and say so.",
    ]
    parts += [f"**{name}.** {about[p]['say']} {about[p].get('scope', '')}"
              for p, name in SENTENCES.items() if p in about]  # fmt: skip
    if "definitions" in texts:
        parts.append(f"**Definitions.** {texts['definitions']} {NOTATION}")
    for root, group in told.items():
        readings = [row for row in rows if row["id"] == root and row.fails]
        parts += _cause(group, readings, texts.get("causes", {}).get(root, {}))
    figures = [row for row in rows if row["published"]]
    if figures:
        found = [f"{r['statement']} ({r.name}): *{r['verdict']}*. {r.short}" for r in figures]
        parts += ["## The published figures", texts.get("figures", ""), _listed(found)]
    named = {row["id"] for group in (*told.values(), figures) for row in group}
    others = sorted((row for row in wrong if row["id"] not in named),
                    key=lambda row: SEVERITIES.index(row["severity"]))  # fmt: skip
    parts += ["## The other wrong statements", _listed(map(briefly, others))]
    failing = {row["id"] for row in wrong} | named
    if steps := [row for row in rows if row.fails and row["id"] not in failing]:
        grades = ", ".join(f"{n} *{severity}*" for severity, n in severities(steps).items())
        parts += [
            "Here the statement as printed does not fail; what fails is another reading of it, or "
            f"a step of its proof. Not counted above ({grades}):",
            _listed(map(briefly, steps)),
        ]
    certified = len({row["certificate"] for row in rows} - {""})
    parts += [
        "## How to check",
        "In a checkout of dpbandits, `dpbandits refute ID` explains a refutation step by step, and "
        f"`python3 -I certificates/check.py` checks {certified} of the refutations of this paper "
        "with plain Python. "
        f"[docs/proofs/{key.upper()}.md](../../docs/proofs/{key.upper()}.md) has the proofs of the "
        "corrected statements, [claims.md](../claims.md) every reading.",
        "## How to answer",
        "What we expected you to say, and why we changed or kept a verdict, is in "
        "[docs/trust.md](../../docs/trust.md#the-strongest-rebuttals). Please answer the message "
        "with which this letter came, or open an issue where you found it, and name the row (for "
        f"instance {example}). We may "
        "publish your answer beside the row; if you would rather we did not, say so.",
    ]
    text = "\n\n".join(part.strip() for part in parts if part)
    return formulas(OTHER_ROW.sub("", text)) + "\n"


def _failing(wrong: list[Row]) -> str:
    """How many statements fail, and how."""
    simulated = sum(row["verdict"] == "rejected" for row in wrong)
    proved = f"{len(wrong) - simulated} are false"
    more = f"{len(wrong)} fail: {proved}, and {simulated} do not come out in our simulations"
    return more if simulated else proved


def _conclusions(wrong: list[Row]) -> str:
    """How many errors are behind the wrong conclusions, if one makes several of them wrong."""
    groups = by_cause(wrong, "conclusion")
    count = sum(map(len, groups.values()))
    return f", and the {count} of *conclusion* to {len(groups)}" * (count > len(groups))


def causes(wrong: list[Row], texts: dict) -> dict[str, list[Row]]:
    """The statements that a letter is about, by the error behind them, whose own row is first: the
    serious failures, and what needs a condition if its error has a text."""
    kept = {}
    for root, group in by_cause(wrong).items():
        severities = (*SERIOUS, "condition") if root in texts else SERIOUS
        rows = [row for row in group if row["id"] == root or row["severity"] in severities]
        if root in texts or any(row["severity"] in SERIOUS for row in rows):
            rank = SEVERITIES.index
            kept[root] = sorted(rows, key=lambda row: (row["id"] != root, rank(row["severity"])))
    return kept


def _cause(group: list[Row], failing: list[Row], about: dict) -> list[str]:
    """The section of an error: the worst reading of its statement, its other failing readings, and
    the other statements of the group."""
    severity, others = group[0]["severity"], group[1:]
    row = next(row for row in failing if row["severity"] == severity)
    lines = [*three_sentences(row), *details(row, TOLD)]
    for other in failing:
        if other is not row:
            text = f"{other.said}. Counterexample: "
            text += f"{other['counterexample']}. {other.short}"
            lines.append((f"Another reading ({other['reading']}, {other['severity']})", text))
    lines += [("The same in", briefly(other)) for other in others]
    listed = _listed(f"**{name}:** {text}" for name, text in lines)
    title = about.get("title", row.place)
    return [f"## {title}", f"*{severity}, {row['id']}.* {about.get('means', '')}", listed]


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {stopped(line)}" for line in lines)
