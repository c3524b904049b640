"""What ten times the seeds change: `make scales`, after a run of either scale.

docs/extended.md: what the extended scale took beside what was extrapolated for it, each table of
its in standard errors from that of the paper scale, and the claims whose rows say something else.
Papers may be run at different times: each block of the page names its papers, and is written anew
if the run has judged the claims of all of them; a paper in no block gets one of its own.
"""

import re
import sys
from pathlib import Path

import costs
import pandas as pd

from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.publish import compare_tables

PAGE = Path("docs/extended.md")
BLOCK = re.compile(r"<!-- scales: ([a-z ]+) -->\n.*?\n<!-- end -->", re.DOTALL)
SAID = ["verdict", "repaired_verdict", "measured"]


def ledger(plan: Plan, papers: set[str] | None = None) -> pd.DataFrame:
    table = pd.read_csv(Path(plan.places.figures, "claims.csv"), dtype=str).fillna("")
    own = table["paper"].str.lower().isin(papers) if papers else slice(None)
    return table[own].set_index(["id", "reading"])


def costs_table(paper: Plan, extended: Plan, judged: set[str]) -> str:
    """CPU hours and memory of the extended scale's jobs, by kind, as extrapolated and measured."""
    took, before = costs.measured(extended), costs.measured(paper)
    guess = costs.extrapolated(extended, costs.seconds_per_run(paper, before))
    kinds = {}
    for key in sorted(judged):
        jobs = {name: took[name] for name in took if extended.jobs[name].paper == key}
        expected = sum(guess.get(name, 0.0) for name in jobs)
        kinds[f"simulations of {key.upper()}"] = expected, [job[::2] for job in jobs.values()]
    for kind, shown in costs.KINDS.items():
        same, jobs = costs.jobs_of(paper, kind), costs.jobs_of(extended, kind)
        jobs = {name: job for name, job in jobs.items() if name.split("/")[0] in judged}
        kinds[shown] = sum(same[name][0] for name in jobs if name in same), list(jobs.values())
    kinds = {shown: kind for shown, kind in kinds.items() if kind[1]}
    kinds["all"] = (
        sum(cpu for cpu, _ in kinds.values()),
        [job for _, jobs in kinds.values() for job in jobs],
    )
    lines = [
        [shown, costs.hours(cpu), *costs.summary(jobs)] for shown, (cpu, jobs) in kinds.items()
    ]
    header = ["", "CPU hours, extrapolated", "jobs", "CPU hours", "longest job, CPU", "most memory"]
    return costs.table(header, lines)


def tables_table(paper: Plan, extended: Plan, judged: set[str]) -> str:
    """Each table of both scales: how far apart."""
    old, new = (Path(plan.places.results, "tables") for plan in (paper, extended))
    lines = []
    for path in sorted(path for key in judged for path in (new / key).glob("*.csv")):
        name = path.relative_to(new)
        same = (old / name).read_bytes() == path.read_bytes()
        said = "the same" if same else compare_tables(old / name, path)
        lines.append([name.with_suffix("").as_posix(), said])
    return costs.table(["table", "paper scale -> extended"], lines)


def claims_table(paper: Plan, extended: Plan, judged: set[str]) -> str:
    """The rows of the ledger that say something else."""
    old, new = ledger(paper, judged)[SAID], ledger(extended, judged)[SAID]
    rows = [
        key for key in new.index if key not in old.index or (old.loc[key] != new.loc[key]).any()
    ]
    turned = [
        key for key in rows if key not in old.index or old.loc[key].iloc[0] != new.loc[key].iloc[0]
    ]
    lines = [
        [f"{key[0]}, {key[1]}", *(_change(old, new, key, column) for column in SAID)]
        for key in rows
    ]
    head = f"{len(turned)} verdicts turned; {len(rows)} of {len(new)} rows have other words."
    return f"{head}\n\n" + costs.table(["claim", "verdict", "repaired", "measured"], lines)


def _change(old: pd.DataFrame, new: pd.DataFrame, key: tuple, column: str) -> str:
    before, after = (t.loc[key, column] if key in t.index else "none" for t in (old, new))
    said = after if before == after else f"{before} -> {after}"
    return said.replace("|", "\\|")


def main() -> None:
    plans = paper, extended = costs.plan_of("paper"), costs.plan_of("extended")
    for plan in plans:
        if not Path(plan.places.figures, "claims.csv").exists():
            sys.exit(f"no ledger in {plan.places.figures}: run that scale first")
    judged = set(ledger(extended)["paper"].str.lower())

    def block(papers: list[str]) -> str:
        parts = (costs_table, tables_table, claims_table)
        text = "\n\n".join(part(paper, extended, set(papers)) for part in parts)
        return f"<!-- scales: {' '.join(papers)} -->\n{text}\n<!-- end -->"

    def renewed(found: re.Match) -> str:
        return block(found[1].split()) if judged.issuperset(found[1].split()) else found[0]

    text = PAGE.read_text(encoding="utf-8")
    named = {name for papers in BLOCK.findall(text) for name in papers.split()}
    text = BLOCK.sub(renewed, text)
    for name in sorted(judged - named):
        text += f"\n## {name.upper()}\n\n{block([name])}\n"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
