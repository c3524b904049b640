"""Checks of what we say of the auditor, from the stored answers on programs of known label."""

from collections import Counter

from dpbandits.reproduction.files import project_file, read_rows
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of

ZOO = "tests/audit/zoo.csv"
WRONG = (("right", "refuted"), ("broken", "no leak seen"))
JUDGED = ("refuted", "no leak seen")


def zoo(tables) -> Finding:
    """How many programs of each label get which answer; none may get a wrong one."""
    rows = read_rows(project_file(ZOO))
    counts = [Counter(r["answer"] for r in rows if r["label"] == label) for label, _ in WRONG]
    accused, passed = (own[answer] for own, (_, answer) in zip(counts, WRONG, strict=True))
    wrong = (f"{r['set']}.{r['program']}" for r in rows if (r["label"], r["answer"]) in WRONG)
    numbers = {"programs": len(rows), "accused": accused, "passed": passed}
    numbers |= {"wrong": ", ".join(wrong) or "none"}
    numbers |= {label: said(own) for (label, _), own in zip(WRONG, counts, strict=True)}
    numbers["judged"] = sum(own[answer] for own in counts for answer in JUDGED)
    if not rows:
        return Finding("untestable", numbers, points_of([0.0]))
    verdict = "violated" if accused + passed else "holds"
    return Finding(verdict, numbers, points_of([accused, passed], at_most=0))


def said(answers: Counter) -> str:
    return ", ".join(f"{count} {answer}" for answer, count in answers.most_common()) or "none"
