"""What a row of the ledger comes to, in three sentences: promised, found, to be done."""

import re
import tomllib
from pathlib import Path

from dpbandits.reproduction.ledger.verdicts import FAILS, FOUND, METHODS, PRINTED

TEXTS = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))
CAUSES = {id: cause for key in TEXTS.values() if isinstance(key, dict)
          for id, cause in key.get("causes", {}).items()}  # fmt: skip
ADVICE = {
    "holds": "Use it as it is printed.",
    "consistent": "Rely on it only at sizes like those that were simulated.",
    "untestable": "Do not rely on it.",
}
INSTEAD = {
    "holds": "Use instead, which is proved",
    "consistent": "Use instead, which agrees with simulations but is not proved",
    "open": "Whether a corrected statement holds is open. What is known",
}


def three_sentences(row: dict[str, str]) -> list[tuple[str, str]]:
    """(heading, sentence) of what was promised, what happens, and what to do."""
    if row["verdict"] in FAILS:
        cause = CAUSES.get(row["id"]) or CAUSES.get(row["cause"])
        found = FOUND[row["verdict"]] + " "
        found += cause["means"] if cause else f"Found: {first_clause(row['measured'])}; allowed: "
        found += "" if cause else first_clause(row["bound"])
        if row["supremum"]:
            found = f"{stopped(found)} True value over printed value, at worst: {row['supremum']}"
        known = row["severity"] in ("experiment", "wording")
        lead = "Read it with this in mind" if known else INSTEAD[row["repaired_verdict"]]
        advice = f"{lead}: {row['repaired']}"
    else:
        found = FOUND.get(row["verdict"]) or f"It holds, by {METHODS[row['method']]}."
        advice = ADVICE[row["verdict"]]
        if row["verdict"] == "holds" and row["reading"] != PRINTED:
            advice = "Use it in this reading."
    promised = "What is promised" if row["kind"] == "privacy" else "What is stated"
    texts = {promised: row["statement"], "What happens": found, "What to do": advice}
    return [(name, stopped(text)) for name, text in texts.items()]


def in_three_sentences(row: dict[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in three_sentences(row))


def stopped(text: str) -> str:
    """A text that ends with a full stop."""
    text = text.strip().rstrip(";")
    return text if text.endswith((".", "?")) else f"{text}."


def first_clause(text: str) -> str:
    """A text up to its first semicolon or full stop outside of formulas and parentheses."""
    for match in re.finditer(r"(;|\.) ", text):
        before = text[: match.start()]
        if before.count("$") % 2 == 0 and before.count("(") == before.count(")"):
            return before
    return text.removesuffix(".")
