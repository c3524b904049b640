"""What a row of the ledger comes to, in three sentences: promised, found, to be done."""

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
    "holds": "True instead, and proved",
    "consistent": "Instead, not proved but in agreement with simulations",
    "open": "Whether a corrected statement holds is open; known",
}


def three_sentences(row: dict[str, str]) -> list[tuple[str, str]]:
    """(heading, sentence) of what was promised, what happens, and what to do."""
    found = FOUND[row["verdict"]].format(method=METHODS.get(row["method"], ""))
    if row.get("short"):
        found = f"{found} {row['short']}"
    if row["verdict"] in FAILS:
        if row["supremum"]:
            found = f"{stopped(found)} True value over printed value, at worst: {row['supremum']}"
        advice = f"{INSTEAD[row['repaired_verdict']]}: {row['repaired']}"
    else:
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
