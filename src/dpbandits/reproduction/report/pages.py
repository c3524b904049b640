"""Numbers and verdicts of pages: where each comes from, and how an altered one is found.

Three kinds of texts, and no other:

- Made whole: letters, the ledger and the table of figures, of the rows in `figures/claims.csv`. The
  texts beside pictures are as `publish` wrote them, by the sums in `figures/texts.sha256`.
- Passages of a page between `<!-- made: NAME -->` and `<!-- end -->` are made of rows and tables,
  and those that begin with `row`, `seen` or `cell` in place of `made` (passages.py).
- What else a page says in numbers or verdicts stands a second time, by heading, in
  tests/docs/numbers.csv.

`make texts` writes passages, numbers.csv and what is made whole anew, and prints each number that
changed outside of passages: read them.
"""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from dpbandits.reproduction.ledger.verdicts import SEVERITIES, VERDICTS
from dpbandits.reproduction.papers import OWN, papers
from dpbandits.reproduction.report.letters import letter
from dpbandits.reproduction.report.markdown import as_markdown, reproduced_as_markdown
from dpbandits.reproduction.report.passages import ROOT, SOURCES, published_rows
from dpbandits.reproduction.report.publish import SUMS

RECORD = ROOT / "tests/docs/numbers.csv"
PASSAGE = re.compile(r"(<!-- (made|row|seen|cell): (.+?) -->)(.*?)(<!-- end -->)", re.DOTALL)
WORDS = "|".join((*VERDICTS, *SEVERITIES))
NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\b(?:{WORDS})\b")
HEADING = re.compile(r"^##+ (.*)$", re.MULTILINE)  # a line with one # may be a comment in code


def pages() -> list[str]:
    """The pages that people write, README first."""
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return ["README.md", "ARTIFACT-APPENDIX.md", *found]


def complaints(name: str, text: str) -> list[str]:
    """What is wrong with a text under a name: numbers and verdicts that are not those of rows, of
    tables, of the record, or of the run that wrote it."""
    if name in made_of_rows():
        return [f"{name}: not what its rows give"] * (text != made_of_rows()[name])
    if name in sums():
        altered = hashlib.sha256(text.encode()).hexdigest() != sums()[name]
        return [f"{name}: not as `publish` wrote it"] * altered
    return [*wrong_passages(name, text), *unrecorded(name, text)]


@cache
def sums() -> dict[str, str]:
    """Of each text beside a picture."""
    lines = (line.split("  ") for line in (ROOT / "figures" / SUMS).read_text("utf-8").splitlines())
    return {f"figures/{name}": digest for digest, name in lines}


@cache
def made_of_rows() -> dict[str, str]:
    """Texts of which the rows give every letter."""
    rows = published_rows()
    letters = {f"figures/{key}/letter.md": letter(key, rows) for key in papers() if key != OWN}
    made = {"claims.md": as_markdown(rows), "reproduced.md": reproduced_as_markdown(rows)}
    return letters | {f"figures/{name}": text for name, text in made.items()}


@cache
def passage(name: str, kind: str = "made") -> str:
    try:
        return SOURCES[kind](name).strip()
    except (KeyError, ValueError) as error:  # there is no such row, function or number
        return f"no {kind} {name}: {error}"


def wrong_passages(name: str, text: str) -> list[str]:
    return [
        f"{name}: {kind}: {what}: {said.strip()[:60]}..."
        for _, kind, what, said, _ in PASSAGE.findall(text)
        if said.strip() != passage(what, kind)
    ]


def numbers(text: str) -> Iterator[tuple[str, str]]:
    """By heading: the numbers and verdicts outside of passages, in their order."""
    parts, seen = HEADING.split(PASSAGE.sub("", text)), Counter()
    for heading, body in zip(["", *parts[1::2]], parts[::2], strict=True):
        seen[heading] += 1
        again = f" ({seen[heading]})" * (seen[heading] > 1)
        yield heading + again, " ".join(NUMBER.findall(f"{heading} {body}"))


def recorded(name: str, text: str) -> list[dict[str, str]]:
    """The lines of numbers.csv of a page; of a page of proofs a check sum, as tests of the proofs
    compute their numbers."""
    lines = []
    for heading, found in numbers(text):
        if "docs/proofs/" in name and found:
            digest = hashlib.sha256(found.encode()).hexdigest()[:8]
            found = f"{len(found.split())} with the sum {digest}"
        if found:
            lines.append({"page": name, "heading": heading, "numbers": found})
    return lines


@cache
def record() -> dict[str, list[dict[str, str]]]:
    with open(RECORD, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return {name: [line for line in lines if line["page"] == name] for name in pages()}


def unrecorded(name: str, text: str) -> list[str]:
    old, new = ({line["heading"]: line["numbers"] for line in lines}
                for lines in (record().get(name, []), recorded(name, text)))  # fmt: skip
    return [
        f"{name}: {heading or 'top'}: {old.get(heading, 'nothing')} -> {new.get(heading, 'gone')}"
        for heading in {**old, **new}
        if old.get(heading) != new.get(heading)
    ]


def write() -> None:
    """`make texts`."""
    for name, text in made_of_rows().items():
        (ROOT / name).write_text(text, encoding="utf-8")
    lines = []
    for name in pages():
        text = (ROOT / name).read_text("utf-8")
        made = PASSAGE.sub(_anew, text)
        if made != text:
            print(f"{name}: passages written anew")
            (ROOT / name).write_text(made, encoding="utf-8")
        print(*unrecorded(name, made), sep="\n", end="\n" * bool(unrecorded(name, made)))
        lines += recorded(name, made)
    with open(RECORD, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["page", "heading", "numbers"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def _anew(match: re.Match) -> str:
    begin, kind, name, old, end = match.groups()
    made = passage(name, kind)
    return f"{begin}\n\n{made}\n\n{end}" if "\n" in old else f"{begin}{made}{end}"


if __name__ == "__main__":
    write()
