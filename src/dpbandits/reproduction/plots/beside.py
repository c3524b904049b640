"""The text beside a picture, NAME.txt: its title, what the paper says, what we see, settings and a
table. Nothing of it is drawn.

    Figure 1, five arms with different gaps

    The paper says: ...

    We see: ...

    Settings: ...

    | ε | DP-SE |
    | --- | --- |
    | 0.25 | 1.83 |
"""

from dataclasses import dataclass, field
from pathlib import Path

LABELS = {"The paper says": "paper_says", "We see": "we_see", "Settings": "settings"}


@dataclass(frozen=True)
class Beside:
    title: str
    paper_says: str = ""
    we_see: str = ""
    settings: str = ""
    table: list[list[str]] = field(default_factory=list)  # a row of names, then rows of cells

    def as_text(self) -> str:
        parts = [self.title]
        parts += [f"{label}: {text}" for label, key in LABELS.items() if (text := _of(self, key))]
        if self.table:
            rows = [self.table[0], ["---"] * len(self.table[0]), *self.table[1:]]
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        return "\n\n".join(parts) + "\n"


def _of(beside: Beside, key: str) -> str:
    return getattr(beside, key).strip()


def read_beside(path: str | Path) -> Beside:
    """The text beside a picture, from its file."""
    title, *parts = Path(path).read_text(encoding="utf-8").strip().split("\n\n")
    found, table = {}, []
    for part in parts:
        if part.startswith("| "):
            rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines()]
            table = [rows[0], *rows[2:]]
        else:
            label, _, text = part.partition(": ")
            found[LABELS[label]] = text
    return Beside(title, **found, table=table)
