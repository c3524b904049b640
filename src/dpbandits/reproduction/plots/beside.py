"""The text beside a picture, NAME.txt: its title, what the paper says, what we see, and settings.
Nothing of it is drawn. What the paper says, what we ask and what we see are rows of the ledger; a
figure adds at most one sentence on what is drawn. Each part but the title has a label of LABELS.
"""

from dataclasses import dataclass
from pathlib import Path

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
