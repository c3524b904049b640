"""Make which.csv, the regret of all private learners by size, and from it the table of which.md.

    python docs/which.py [FAMILY ...] [HORIZON ...]

A quarter of an hour of one core for all families (none named: the table alone is written again; no
horizon named: all of them).
`dpbandits.choose` on random instances for each size; a test repeats one and compares.
"""

import csv
import sys
from itertools import product
from pathlib import Path

import dpbandits as dp

TABLE, PAGE = Path(__file__).with_suffix(".csv"), Path(__file__).with_suffix(".md")
MARKS = ("<!-- table of which.py -->", "<!-- end of it -->")
FAMILIES = {  # arms, range of the means, instances up to 10^4 rounds and in longer runs
    "five": (5, (0.0, 1.0), 200, 200),
    "twenty": (20, (0.0, 1.0), 200, 50),
    "rates": (5, (0.01, 0.05), 60, 60),
}
NAMES = {"five": "5 arms", "twenty": "20 arms", "rates": "5 arms, means 0.01 to 0.05"}
SHOWN = ("na-imed", "dp-klucb", "dp-imed")  # all others are behind na-imed, see the page
EPSILON = (0.1, 0.25, 1.0, 5.0)
HORIZON = (10**3, 10**4, 10**5, 10**6)


def rows(family, epsilon, horizon) -> list[dict]:
    arms, means, few, many = FAMILIES[family]
    sizes = {"arms": arms, "epsilon": epsilon, "horizon": horizon}
    found = dp.choose(**sizes, means=means, instances=few if horizon <= 10**4 else many)
    place = {"family": family, "epsilon": f"{epsilon:g}", "horizon": str(horizon)}
    return [
        place | {
            "algorithm": row.algorithm, "mean": f"{row.mean:.6g}", "error": f"{row.error:.3g}",
            "p95": f"{row.p95:.6g}", "level": str(int(row.algorithm in found.level)),
        }
        for row in (*found.rows, *found.beside)
    ]  # fmt: skip


def cell(rows) -> str:
    """The best with its 95th percentile, bold if nothing is level with it, and the next one."""
    best, other = [row for row in rows if row["algorithm"] in SHOWN][:2]
    text = f"{best['algorithm']} {shown(best)}"
    bold = text if any(row["level"] == "1" for row in rows) else f"**{text}**"
    return f"{bold}; {other['algorithm']} {shown(other)}"


def shown(row) -> str:
    mean, p95 = (float(f"{float(row[key]):.3g}") for key in ("mean", "p95"))
    mean, p95 = (f"{x:,.0f}" if x >= 100 else f"{x:g}" for x in (mean, p95))
    return f"{mean} ({p95})"


def table() -> str:
    found = list(csv.DictReader(TABLE.open()))
    lines = ["| | 10³ rounds | 10⁴ | 10⁵ | 10⁶ |", "|---|---|---|---|---|"]
    for family, name in NAMES.items():
        for epsilon in (f"{e:g}" for e in EPSILON):
            cells = []
            for horizon in map(str, HORIZON):
                of = {"family": family, "epsilon": epsilon, "horizon": horizon}
                rows = [row for row in found if of.items() <= row.items()]
                cells.append(cell(rows))
            lines.append(f"| {name}, ε = {epsilon} | {' | '.join(cells)} |")
        last = [
            [row for row in found if (row["family"], row["horizon"]) == (family, str(T))][-2:]
            for T in HORIZON
        ]
        for i, beside in enumerate(("Thompson sampling, not private", "play at random")):
            numbers = " | ".join(shown(pair[i]) for pair in last)
            lines.append(f"| {name}: {beside} | {numbers} |")
    return "\n".join(lines)


def with_table(path: Path, marks: tuple[str, str], made: str) -> str:
    """The page with this table between its two marks."""
    before, rest = path.read_text("utf-8").split(marks[0])
    return f"{before}{marks[0]}\n{made}\n{marks[1]}{rest.split(marks[1])[1]}"


def write(path: Path, kept: list[dict]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(kept[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def page() -> str:
    """which.md with the table as it is in which.csv."""
    return with_table(PAGE, MARKS, table())


def main(families, horizons) -> None:
    kept = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    named = product(families, horizons)
    again = {(family, str(horizon)) for family, horizon in named}
    kept = [row for row in kept if (row["family"], row["horizon"]) not in again]
    for family, horizon, epsilon in product(families, horizons, EPSILON):
        kept += rows(family, epsilon, horizon)
        print(family, horizon, epsilon, kept[-10]["algorithm"], flush=True)
    order = list(FAMILIES)
    kept.sort(key=lambda row: (order.index(row["family"]), int(row["horizon"])))  # it is stable
    write(TABLE, kept)
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    words = sys.argv[1:]
    main([w for w in words if w in FAMILIES], [int(w) for w in words if w.isdigit()] or HORIZON)
