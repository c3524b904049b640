"""The text beside a picture, NAME.txt: its title, what the paper says, what we see, and settings.
Nothing of it is drawn. What the paper says, what we ask and what we see are rows of the ledger; a
figure adds at most one sentence on what is drawn. Each part but the title has a label of LABELS.
"""

from pathlib import Path

LABELS = ("The paper says", "We ask (not in the paper)", "We see", "Settings")
Beside = dict[str, str]  # "title", and texts by label


def as_text(beside: Beside) -> str:
    parts = [f"{label}: {beside[label]}" for label in LABELS if beside.get(label)]
    return "\n\n".join([beside["title"], *parts]) + "\n"


def read_beside(path: str | Path) -> Beside:
    """The text beside a picture, from its file."""
    title, *parts = Path(path).read_text(encoding="utf-8").strip().split("\n\n")
    return {"title": title} | dict(part.split(": ", 1) for part in parts)
