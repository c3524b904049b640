"""How rows become prose, in one place: for the report, letters, texts beside figures, the ledger in
Markdown and `dpbandits refute`."""

from collections.abc import Iterable

from dpbandits.reproduction.ledger.rows import Row, severities, wrong_statements
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
    "severity": "Severity",
    "cause": "The same error as in",
    "evidence": "Evidence",
    "certificate": "Certificate",
}
SHOWN = [*HEADINGS][:10]
EVERY = ("*",)  # claims of a figure: all of the paper
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


def details(row: Row, columns: Iterable[str] = SHOWN) -> list[tuple[str, str]]:
    """(heading, text) of what is known of a row, by columns of HEADINGS."""
    return [(HEADINGS[column], row[column]) for column in columns if row[column]]


def in_full(row: Row) -> list[tuple[str, str]]:
    """(heading, text) of all that is known of a row."""
    return [*three_sentences(row), *details(row, HEADINGS), judged_by(row)]


def judged_by(row: Row) -> tuple[str, str]:
    return "Judged by", METHODS[row["method"]]


def seen(row: Row) -> str:
    """A row in a text: its name, its verdict and what was found. What we ask ourselves can be
    tested, so that the verdict means that our runs do not decide it."""
    open_to_us = row.ours and row["verdict"] == "untestable"
    return f"{row.name}: {'not decided' if open_to_us else row['verdict']}. {row.short}"


def briefly(row: Row) -> str:
    """A wrong statement: what is printed, what we find, and all that is true instead."""
    texts = row["statement"], row.short, f"Instead: {row['repaired']}"
    return f"*{row['severity']}, {row.name}.* {' '.join(map(stopped, texts))}"


def three_sentences(row: Row) -> list[tuple[str, str]]:
    """(heading, sentence) of what was promised, what we find, and what is true instead or to do."""
    found = f"{row.found} {row.get('short', '')}".strip()
    if row.fails:
        if row["supremum"]:
            found = f"{stopped(found)} True value over printed value, at worst: {row['supremum']}"
        heading, advice = INSTEAD[row["repaired_verdict"]], row["repaired"]
    else:
        heading, advice = "What to do", ADVICE[row["verdict"]]
        if row["verdict"] == "holds" and not row.printed:
            advice = "Use it in this reading."
    promised = "What is promised" if row["kind"] == "privacy" else "What is stated"
    texts = {promised: row["statement"], "What we find": found, heading: advice}
    return [(name, stopped(text)) for name, text in texts.items()]


def in_three_sentences(row: Row) -> str:
    return "\n".join(f"{name}: {text}" for name, text in three_sentences(row))


def stopped(text: str) -> str:
    """A text that ends with a full stop."""
    text = text.strip().rstrip(";")
    return text if text.endswith((".", "?")) else f"{text}."


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
    named = ", ".join(f"{number} {kind}" for kind, number in severities(wrong).items())
    count = len({row["id"] for row in rows})
    return f"{len(wrong)} of {count} statements fail as printed{f': {named}' if named else ''}."
