"""The text beside a picture, NAME.txt: its title, what the paper says, what we see, and settings.
Nothing of it is drawn. What the paper says, what we ask and what we see are rows of the ledger; a
figure adds at most one sentence on what is drawn. Each part but the title has a label of LABELS.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dpbandits.reproduction.ledger.prose import seen
from dpbandits.reproduction.ledger.rows import Row, wrong_statements
from dpbandits.reproduction.ledger.verdicts import SEVERITIES
from dpbandits.reproduction.plots.figures import EVERY

LABELS = {
    "The paper says": "paper_says",
    "We ask (not in the paper)": "we_ask",
    "We see": "we_see",
    "Settings": "settings",
}


@dataclass(frozen=True)
class Beside:
    title: str
    paper_says: str = ""
    we_ask: str = ""
    we_see: str = ""
    settings: str = ""

    def as_text(self) -> str:
        texts = {label: getattr(self, key).strip() for label, key in LABELS.items()}
        parts = [f"{label}: {text}" for label, text in texts.items() if text]
        return "\n\n".join([self.title, *parts]) + "\n"


def read_beside(path: str | Path) -> Beside:
    """The text beside a picture, from its file."""
    title, *parts = Path(path).read_text(encoding="utf-8").strip().split("\n\n")
    found = (part.partition(": ") for part in parts)
    return Beside(title, **{LABELS[label]: text for label, _, text in found})


def said_and_seen(claims: tuple[str, ...], rows: list[Row]) -> tuple[str, str, str]:
    """What the paper says, what we ask and what we see, by the rows that a figure names."""
    if claims == EVERY:
        return "", "", counted(rows)
    names = [{row["id"], f"{row['id']} ({row['reading']})"} for row in rows]
    if missing := set(claims).difference(*names):
        raise ValueError(f"no row of the ledger: {min(missing)}")
    named = [row for name in claims for row, own in zip(rows, names, strict=True) if name in own]
    said, asked = {}, []  # said: statement -> row, in the order of `claims`
    for row in named:
        if row.ours:
            asked.append(f"{row.name}: {row.said.removeprefix('(not printed) ')}.")
            continue
        statement = row["statement"].rstrip(".")
        if row.said.startswith("the same"):
            printed = next(own for own in rows if own["id"] == row["id"])
            if printed not in named:
                statement = f"{printed['statement'].rstrip('.')}; {row.said.rstrip('.')}"
        said[statement] = row
    told = [f"{row.name}, {statement}." for statement, row in said.items()]
    return " ".join(told), " ".join(asked), " ".join(map(seen, named))


def counted(rows: list[Row]) -> str:
    """How many statements fail, and how many of these by severity, as README counts them."""
    wrong = wrong_statements(rows)
    kinds = Counter(row["severity"] for row in wrong)
    named = ", ".join(f"{kinds[kind]} {kind}" for kind in SEVERITIES if kinds[kind])
    count = len({row["id"] for row in rows})
    return f"{len(wrong)} of {count} statements fail as printed{f': {named}' if named else ''}."
