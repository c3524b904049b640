"""Numbers and verdicts of README and of other pages are those of what they come from: the rows of
the committed ledger, or other files. This is the one place that compares them.

`python tests/docs/test_numbers_of_pages.py` writes those that come from rows anew.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.hu.figures.regret import FAMILIES
from dpbandits.reproduction.ledger.verdicts import FAILS, by_cause, wrong_statements
from dpbandits.reproduction.pipeline.ledger import (
    as_markdown,
    published_figures,
    reproduced_as_markdown,
    reproduced_in_short,
)
from dpbandits.reproduction.plots.beside import counted, said_and_seen
from dpbandits.reproduction.plots.claims import worst_readings
from dpbandits.reproduction.report.letters import letter
from dpbandits.reproduction.report.page import page as report

ROOT = Path(__file__).parents[2]


def page(name):
    return (ROOT / name).read_text("utf-8")


def table(name):
    return pd.read_csv(ROOT / name, keep_default_na=False)


def certificates() -> str:
    files = [json.loads(p.read_text("utf-8")) for p in (ROOT / "certificates").glob("*.json")]
    data = sum("data" in file for file in files)
    assert f"{data} of {len(files)} certificates are computed from data" in page("docs/trust.md")
    both = f"({data} computed from data sets, {len(files) - data} inequalities between numbers)"
    start = f"{len(files)} refutations are [certificates](certificates) that plain Python checks"
    return f"{start} {both}"


def largest_found() -> str:
    """What docs/promised.py draws of KL's Theorem 3."""
    rows = table("figures/kl/tightness.csv").query("claim == 'KL-T3-pure'")
    return f"{rows['worst'].astype(float).max():.2f} for KL's Theorem 3, the largest found"


def one_step() -> str:
    """What docs/promised.py draws of FLIPHAT with one step: claim FL-T5.1."""
    (row,) = (r for r in table("figures/claims.csv").to_dict("records")
              if (r["id"], r["reading"]) == ("FL-T5.1", "printed"))  # fmt: skip
    most = max(map(float, re.findall(r"factor ([\d.]+)", row["slack"])))
    assert "as run in Section 6" in page("docs/promised.py")
    bounded = f"{most:.2f} for FLIPHAT with one step and contexts up to 3.46"
    return f"{bounded}, and no finite value as run in Section 6"


# The table of bandits by size -------------------------------------------------------------------

OFTEN_BEST = ("na-imed", "dp-klucb", "dp-imed")  # all others are behind na-imed, see the page
NOT_PRIVATE = {"thompson": "Thompson sampling, not private", "random-arm": "play at random"}


def sizes_of_which() -> pd.DataFrame:
    return table("figures/hu/which.csv")


def regret(row) -> str:
    """Mean, and 95th percentile."""
    mean, p95 = (float(f"{row[key]:.3g}") for key in ("mean", "p95"))
    mean, p95 = (f"{x:,.0f}" if x >= 100 else f"{x:g}" for x in (mean, p95))
    return f"{mean} ({p95})"


def two_best(rows) -> str:
    """The best, bold if nothing is level with it, and the next one."""
    (_, best), (_, other) = list(rows[rows["algorithm"].isin(OFTEN_BEST)].iterrows())[:2]
    text = f"{best['algorithm']} {regret(best)}"
    return f"{text if rows['level'].any() else f'**{text}**'}; {other['algorithm']} {regret(other)}"


def bandits_by_size() -> str:
    """docs/which.md: of each size the two best, and beside them what is not private."""
    lines = ["| | 10³ rounds | 10⁴ | 10⁵ | 10⁶ |", "|---|---|---|---|---|"]
    for family, rows in sizes_of_which().groupby("family", sort=False):
        for epsilon, own in rows.groupby("epsilon"):
            cells = [two_best(group) for _, group in own.groupby("t")]
            lines.append(f"| {FAMILIES[family]}, ε = {epsilon:g} | {' | '.join(cells)} |")
        own = rows[rows["epsilon"] == rows["epsilon"].iloc[-1]]
        for name, said in NOT_PRIVATE.items():
            cells = [regret(row) for _, row in own[own["algorithm"] == name].iterrows()]
            lines.append(f"| {FAMILIES[family]}: {said} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def instances() -> str:
    runs = sizes_of_which().groupby(["family", "t"], sort=False)["runs"].first()
    counts = [runs[family, t] for family in FAMILIES for t in (10**4, 10**5)]
    return ("{} random instances for each size with 5 arms ({} above 10⁴ rounds), {} with 20 arms "
            "({}), {} with means from 0.01 to 0.05 ({})").format(*counts)  # fmt: skip


NUMBERS = [
    ("docs/which.md", bandits_by_size), ("docs/which.md", instances),
    ("README.md", certificates), ("README.md", largest_found), ("README.md", one_step),
]  # fmt: skip


@pytest.mark.parametrize(("name", "number"), NUMBERS, ids=[f.__name__ for _, f in NUMBERS])
def test_numbers_are_those_of_what_they_come_from(name, number):
    assert number() in page(name)


# What is made of rows: a text per page, which changes if a row does
PLACES = {  # of the error, by severity: the words of README
    "conclusion": "in the conclusion", "constant": "in a constant",
    "condition": "need an extra condition", "step": "in a proof step",
    "wording": "are misprints or slips of wording", "experiment": "are experiments",
}  # fmt: skip


def statements_per_severity(rows) -> str:
    """Each wrong statement once, by the worst severity of its readings."""
    wrong = wrong_statements(rows)
    number = Counter(row["severity"] for row in wrong)
    assert number.keys() <= PLACES.keys()
    named = ", ".join(f"{number[key]} {place}" for key, place in PLACES.items())
    return (
        f"We checked {len({row['id'] for row in rows})} statements; {len(wrong)} are wrong as "
        f"printed: {named}. Some statements can be read in several ways, which gives {len(rows)} "
        f"readings ([ledger](figures/claims.md)); {sum(r['verdict'] in FAILS for r in rows)} of "
        "them fail."
    )


def causes_of_wrong_conclusions(rows) -> str:
    """How many errors the wrong conclusions go back to, as figures/claims.md lists them."""
    number = len(by_cause(wrong_statements(rows), "conclusion"))
    return f"The wrong conclusions have {number} causes."


def corrected_statements(rows) -> str:
    found = Counter(row["repaired_verdict"] for row in wrong_statements(rows))
    still = f", of {found['open']} none is known" * bool(found["open"])
    return (
        f"Each wrong statement has a corrected version: {found['holds']} of these are proved or "
        f"computed, {found['consistent']} agree with simulations{still}."
    )


def panels(rows) -> str:
    found = published_figures(rows)
    failed = [sum(any(part["verdict"] in FAILS for part in entry[kind] or entry["printed"])
                  for entry in found) for kind in ("printed", "released")]  # fmt: skip
    return (
        f"Of the {len(found)} published panels of HU and FL {failed[0]} are rejected with the "
        f"constants as printed, {failed[1]} with those of the released code"
    )


FROM_ROWS = [
    ("README.md", statements_per_severity), ("README.md", causes_of_wrong_conclusions),
    ("README.md", corrected_statements), ("README.md", reproduced_in_short),
    ("ARTIFACT-APPENDIX.md", panels),
]  # fmt: skip


def published_rows() -> list[dict[str, str]]:
    return read_rows(ROOT / "figures/claims.csv")


@pytest.mark.parametrize(("name", "text"), FROM_ROWS, ids=[f.__name__ for _, f in FROM_ROWS])
def test_texts_are_those_of_the_rows(name, text):
    assert text(published_rows()) in page(name)


def test_readme_names_each_cause_of_a_wrong_conclusion_and_no_other():
    text = page("README.md").split("- **Why.**")[1].split("\n- ")[0]
    named = re.findall(r"`((?:HU|FL|US|KL)-[^`]+)`", text)
    assert sorted(named) == sorted(by_cause(wrong_statements(published_rows()), "conclusion"))


def test_figures_of_refuted_statements_show_and_count_what_readme_counts():
    rows, wrong = published_rows(), wrong_statements(published_rows())
    drawn = worst_readings(pd.DataFrame(rows).assign(ratio="", ratio_of=""))
    assert sorted(drawn["id"]) == sorted(row["id"] for row in wrong)
    own = [[row for row in rows if row["paper"] == paper] for paper in ("HU", "FL", "US", "KL")]
    assert sum(int(counted(part).split()[0]) for part in own) == len(wrong)


def test_rows_that_pages_name_are_in_the_ledger():
    known = {row["id"] for row in published_rows()}
    for name in ("README.md", "docs/which.md", "docs/index.md", "docs/trust.md"):
        named = set(re.findall(r"\b(?:HU|FL|US|KL)-[A-Z]\d?[\w.]*(?:-[a-z]\w*)?", page(name)))
        assert {id.rstrip(".") for id in named} <= known, name


@pytest.mark.parametrize("name", ["reproduced.md", "claims.md"])
def test_published_texts_are_made_of_the_published_rows(name):
    made = {"reproduced.md": reproduced_as_markdown, "claims.md": as_markdown}[name]
    assert made(pd.DataFrame(published_rows())) == page(f"figures/{name}")


def test_a_verdict_that_changes_changes_every_text(tmp_path, monkeypatch):
    """One row fails that held, one published panel is rejected that came out."""
    monkeypatch.setattr("dpbandits.reproduction.report.page.figures", dict)
    before, after = published_rows(), published_rows()
    said = {"short": "It is 12345 times too small.", "repaired": "that times 12345"}
    failed = said | {"verdict": "violated", "severity": "conclusion", "repaired_verdict": "holds"}
    (row,) = (r for r in after if (r["id"], r["reading"]) == ("KL-T1-pure", "printed"))
    row.update(failed)
    (row,) = (r for r in after if (r["id"], r["reading"]) == ("FL-F1R", "released"))
    row.update(failed, verdict="rejected", severity="experiment", repaired_verdict="open")

    def texts(rows) -> dict[str, str]:
        frame = pd.DataFrame(rows)
        frame.to_csv(tmp_path / "claims.csv", index=False)
        own = [row for row in rows if row["paper"] == "KL"]
        parts = {f"{name}: {text.__name__}": text(rows) for name, text in FROM_ROWS}
        return parts | {
            "beside a figure": said_and_seen(("KL-T1-pure (printed)",), rows)[-1],
            "beside kl/refuted": counted(own),
            "letter": letter("kl", rows),
            "claims.md": as_markdown(frame),
            "reproduced.md": reproduced_as_markdown(frame),
            "report": report(tmp_path, ["kl", "fl"], {}, []),
        }

    old, new = texts(before), texts(after)
    assert [name for name in old if old[name] == new[name]] == []
    for name in ("beside a figure", "letter", "claims.md", "report"):
        assert "12345" in new[name], name
    wrong = len(wrong_statements(before))
    assert f"{wrong + 1} are wrong as printed" in new["README.md: statements_per_severity"]
    (panel,) = (p for p in published_figures(after) if p["panel"] == "Figure 1 right")
    assert [part["verdict"] for part in panel["released"]] == ["rejected"]


def write_anew() -> None:
    """Replace each text that comes from rows: the same words with other numbers, or the table."""
    texts = [(name, text.__name__, text(published_rows())) for name, text in FROM_ROWS]
    texts += [(page, f.__name__, f()) for page, f in NUMBERS if f in (bandits_by_size, instances)]
    for name, what, made in texts:
        old = page(name)
        if made.startswith("|"):
            head, after = re.escape(made.splitlines()[0]), r"\n.*" if "\n\n" in made else ""
            pattern = rf"{head}\n(?:\|.*\n)*{after}"
        else:
            pattern = re.sub(r"\d+", r"\\d+", re.escape(made))
        new, count = re.subn(pattern, lambda _, made=made: made, old)
        print(name, what, "written" if count else f"not found: {made}")
        (ROOT / name).write_text(new, encoding="utf-8")


if __name__ == "__main__":
    write_anew()
