"""The ledger and the table of published figures in Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from dpbandits.reproduction.ledger.prose import in_full
from dpbandits.reproduction.ledger.rows import Row, by_cause, of_papers, wrong_statements
from dpbandits.reproduction.ledger.verdicts import (
    MEANING,
    NO_NUMBER,
    PRINTED,
    SEVERITIES,
    VERDICTS,
)
from dpbandits.reproduction.plots.words import formulas


def as_markdown(ledger: list[Row]) -> str:
    """The ledger (text only) for readers: counts and severities, then a section per row."""
    rows, printed = ledger, of_papers(ledger)
    own = [row for row in rows if row not in printed]
    lines = ["# The ledger", "", f"{_counted(printed)}.", ""]
    counts = Counter(row["verdict"] for row in printed)
    lines += [f"- {name}: {counts[name]}" for name in VERDICTS if name in counts]
    if own:
        found = Counter(row["verdict"] for row in own).most_common()
        text = f"{_counted(own)} ({', '.join(f'{n} {name}' for name, n in found)})"
        lines += ["", f"Counted apart, what we say of our own algorithms: {text}."]
    lines += ["", "## Failing statements by severity", "", *_failures(printed)]
    columns = ("reading", "verdict", "severity", "statement", "repaired")
    names = ["id", *columns[:-1], "corrected statement"]
    cells = ([f"[{row['id']}](#{_anchor(row)})", *map(row.get, columns)] for row in rows)
    lines += ["", "## All rows", "", markdown_table(names, cells)]
    for row in rows:
        lines += ["", f"## {_title(row)}", ""]
        lines += [f"- **{name}**: {text}" for name, text in in_full(row)]
    return formulas("\n".join(lines)) + "\n"


def _counted(rows: list[Row]) -> str:
    return f"{len({row['id'] for row in rows})} statements, {len(rows)} rows: one per reading"


def markdown_row(cells: Iterable) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def markdown_table(names: Sequence[str], rows: Iterable[Iterable]) -> str:
    return "\n".join(map(markdown_row, (names, ["---"] * len(names), *rows)))


RELEASED = "released"  # begins the name of a reading with the constants of the released code
KINDS = (PRINTED, RELEASED)
ABOUT_FIGURES = (
    "US printed no figure and KL no experiment. A cell has a line per statement about the panel. "
    "“As released”: with the constants of the code that FL's authors published. HU has no other "
    "constants than the printed ones. Where no distance is given, the paper prints no number. "
    "The papers' own pictures are not copied here: see [HU](https://arxiv.org/abs/2102.07929) and "
    "[FL](https://arxiv.org/abs/2405.14038). Where a paper has numbers, ours shows them: as dotted "
    "slopes in Figure 3 left, as rings in Figure 3 right."
)
HEAD = ["ours (FL: constants as released)", "figure", "published", "ours, constants as printed",
        "distance, in standard errors", "verdict", "ours, constants as released",
        "distance, in standard errors", "verdict"]  # fmt: skip


def published_figures(rows: list[Row]) -> list[dict]:
    """The published panels, in the order of the rows, each with what came out with the constants
    as `printed` and as `released`: lists of cells `ours`, `deviation` (in standard errors),
    `verdict`, `picture`, and the `row` that says so; `picture` of a panel is our figure (with the
    released constants, if there are two)."""
    panels: dict[tuple[str, str], dict] = {}
    for line in rows:
        for part in line.panels:
            entry = panels.setdefault((line["paper"], part["panel"]), {
                "paper": line["paper"], "panel": part["panel"], "picture": part["picture"],
                "published": [], "source": [], "printed": [], "released": [],
            })  # fmt: skip
            for column, own in (("published", part["says"]), ("source", part["source"])):
                entry[column] += [own] * (own not in entry[column])
            kind = RELEASED if line["reading"].startswith(RELEASED) else PRINTED
            cells = {key: part[key] for key in ("says", "ours", "deviation", "picture")}
            entry["picture"] = part["picture"] if kind == RELEASED else entry["picture"]
            entry[kind].append(cells | {"verdict": line["verdict"], "row": line})
    return sorted(panels.values(), key=lambda entry: entry["paper"] != "HU")


def by_figure(panels: list[dict]) -> list[dict]:
    """The published panels, those in one picture of ours as one entry with a `name`; what came out
    in one of several lettered panels begins with its letter."""
    pictures: dict[str, list[dict]] = {}
    for entry in panels:
        pictures.setdefault(entry["picture"], []).append(entry)
    found = []
    for entries in pictures.values():
        names = dict.fromkeys(entry["panel"].partition(" (")[0] for entry in entries)
        one = {key: entries[0][key] for key in ("paper", "picture")} | {"name": ", ".join(names)}
        for key in ("published", "source"):
            one[key] = list(dict.fromkeys(text for entry in entries for text in entry[key]))
        for kind in KINDS:
            parts = {}
            for entry in entries:
                letter = entry["panel"].partition(" (")[2]
                for part in entry[kind]:
                    ours = f"({letter}: {part['ours']}" if letter else part["ours"]
                    parts[part["says"], ours] = part | {"ours": ours}
            order = [*dict.fromkeys(says for says, _ in parts)].index
            one[kind] = [parts[key] for key in sorted(parts, key=lambda key: order(key[0]))]
        found.append(one)
    return found


def reproduced_as_markdown(ledger: list[Row]) -> str:
    """The table of the published figures in full, with a picture of ours and the rows."""
    lines = []
    for entry in by_figure(published_figures(ledger)):
        picture = f'<a href="{entry["picture"]}.png"><img src="{entry["picture"]}.png" '
        picture += f'width="240" alt="ours of {entry["name"]}"></a>'
        name = f"{entry['paper']} {entry['name']}<br>({', '.join(entry['source'])})"
        cells = [picture, name, "<br>".join(entry["published"])]
        for kind in KINDS:
            ours = [_ours(part, entry["picture"]) for part in entry[kind]]
            for column in (ours, map(_distance, entry[kind]), map(_linked, entry[kind])):
                cells.append("<br>".join(column) or "none released")
        lines.append(map(formulas, cells))
    return f"# The published figures\n\n{ABOUT_FIGURES}\n\n{markdown_table(HEAD, lines)}\n"


def _ours(part: dict, shown: str) -> str:
    own = part["picture"]
    return part["ours"] if own == shown else f"{part['ours']} ([picture]({own}.png))"


def _distance(part: dict) -> str:
    return "–" if part["deviation"] == NO_NUMBER else part["deviation"]


def _linked(part: dict) -> str:
    return f"[{part['verdict']}](claims.md#{_anchor(part['row'])})"


def _failures(rows: list[Row]) -> list[str]:
    """Lists of the causes of each severity, with the statements that inherit their error."""
    lines, wrong = [], wrong_statements(rows)
    for severity in SEVERITIES:
        causes = by_cause(wrong, severity)
        if count := sum(map(len, causes.values())):
            lines.append(f"- **{severity}** ({MEANING[severity]}): {count} statements")
        for cause, own in causes.items():
            named = ", ".join(row.name + f" ({row.place})" * bool(row.said) for row in own)
            lines.append(f"  - {f'from {cause}: ' * (len(own) > 1)}{named}")
    others = [row for row in rows if row.fails and not row.printed]
    names = ", ".join(f"{row.name}: {row['severity']}" for row in others)
    return lines + [f"- Other readings that fail, by their own severity: {names}"] * bool(names)


def _title(row: Row) -> str:
    return f"{row['id']}, {row['reading']}: {row['verdict']}"


def _anchor(row: Row) -> str:
    """The anchor that GitHub gives to its heading."""
    return re.sub(r"[^\w -]", "", _title(row).lower()).replace(" ", "-")
