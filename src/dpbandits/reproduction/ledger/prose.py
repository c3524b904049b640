"""How rows become prose, in one place: for the report, letters, texts beside figures, the ledger in
Markdown and `dpbandits refute`."""

from collections.abc import Iterable

from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.ledger.verdicts import METHODS

HEADINGS = {  # columns of the ledger -> what they are called in an opened row
    "scope": "Checked for",
    "counterexample": "Counterexample",
    "proof_step": "The step of the proof that fails",
    "measured": "Found",
    "bound": "Allowed by the statement",
    "slack": "Margin between the two",
    "supremum": "True value over printed value, at worst",
    "tightness": "Largest true value found over the corrected bound",
    "confidence": "Confidence",
    "neighbours": "Neighbouring data sets",
}
ADVICE = {
    "holds": "Use it as it is printed.",
    "consistent": "Rely on it only at sizes like those that were simulated.",
    "untestable": "Do not rely on it.",
}
INSTEAD = {
    "holds": "True instead, and proved",
    "consistent": "Instead, not proved but in agreement with simulations",
    "open": "Whether a corrected statement holds is open; known",
}


def details(row: Row, columns: Iterable[str] = HEADINGS) -> list[tuple[str, str]]:
    """(heading, text) of what is known of a row, by columns of HEADINGS."""
    return [(HEADINGS[column], row[column]) for column in columns if row[column]]


def judged_by(row: Row) -> tuple[str, str]:
    return "Judged by", METHODS[row["method"]]


def seen(row: Row) -> str:
    """A row in a text: its name, its verdict and what was found."""
    return f"{row.name}: {row['verdict']}. {row.short}"


def three_sentences(row: Row) -> list[tuple[str, str]]:
    """(heading, sentence) of what was promised, what happens, and what to do."""
    found = f"{row.found} {row.get('short', '')}".strip()
    if row.fails:
        if row["supremum"]:
            found = f"{stopped(found)} True value over printed value, at worst: {row['supremum']}"
        advice = f"{INSTEAD[row['repaired_verdict']]}: {row['repaired']}"
    else:
        advice = ADVICE[row["verdict"]]
        if row["verdict"] == "holds" and not row.printed:
            advice = "Use it in this reading."
    promised = "What is promised" if row["kind"] == "privacy" else "What is stated"
    texts = {promised: row["statement"], "What happens": found, "What to do": advice}
    return [(name, stopped(text)) for name, text in texts.items()]


def in_three_sentences(row: Row) -> str:
    return "\n".join(f"{name}: {text}" for name, text in three_sentences(row))


def stopped(text: str) -> str:
    """A text that ends with a full stop."""
    text = text.strip().rstrip(";")
    return text if text.endswith((".", "?")) else f"{text}."
