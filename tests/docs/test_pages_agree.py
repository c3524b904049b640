"""Pages do not contradict each other, nor the code that they name."""

import re

import pytest
from scratch import ROOT

from dpbandits.core.choose import SECONDS
from dpbandits.reproduction.report.pages import passage
from dpbandits.reproduction.report.passages import promised, published_rows, standings


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_one_bandit_is_recommended_first():
    """The first one of which.md is what the appendix audits as recommended."""
    best = re.search(r"K arms, .*?\[`([\w-]+)`\]", page("docs/which.md"))[1]
    (line,) = re.findall(r"The recommended algorithms keep.*", page("ARTIFACT-APPENDIX.md"))
    assert f"--learner {best}" in line


def test_the_table_of_promises_says_what_each_learner_sees():
    """RNM-FTNL sees all rewards: it is for experts, not for bandits."""
    assert {kind for kind, name, *_ in promised() if "RNM-FTNL" in name} == {"experts"}


def test_choose_takes_as_long_as_the_page_says():
    assert f"This takes about {SECONDS:g} seconds of one core" in page("docs/which.md")


def test_the_letter_recommends_our_bandit_by_what_its_row_says():
    assert "less mean regret than Lazy-DP-TS at nearly all sizes" in page("figures/hu/letter.md")
    (row,) = (r for r in published_rows() if (r["id"], r["reading"]) == ("OURS-R1", "lazy-dp-ts"))
    sizes, better = re.search(r"Of (\d+) .* over 5% better in (\d+)", row["short"]).groups()
    assert int(better) > 0.95 * int(sizes)


def our_row(reading: str = "printed") -> str:
    (row,) = (r for r in published_rows() if (r["id"], r["reading"]) == ("OURS-R1", reading))
    return f"{row['measured']} {row['slack']}"


def test_the_ratios_of_the_page_of_rivals_are_those_of_our_row():
    """To the last digit of both; the row leaves sizes out at which random play is level."""
    table = {
        tuple(re.fullmatch(r"\| (\S+), ε = (\S+) \| (.*) \|", line).groups()[:2]): re.findall(
            r"([\d.]+) \(([\d.]+) to ([\d.]+)\)", line
        )
        for line in passage("ratios_to_rivals").splitlines()[2:]
    }
    said = dict(re.findall(r"(\S+, ε = [\d.]+): (.*?)(?:;|$)", our_row()))
    for (rival, epsilon), cells in table.items():
        numbers = re.findall(r"([\d.]+) \[([\d.]+), ([\d.]+)\]", said[f"{rival}, ε = {epsilon}"])
        for one, other in zip(cells, numbers, strict=True):
            ours, theirs = ([float(x) for x in numbers] for numbers in (one, other))
            assert ours == pytest.approx(theirs, rel=0.006, abs=0.006), (rival, epsilon)


def test_where_our_row_says_that_we_lose_the_page_says_it():
    """The row: by over 5%, to any rival; the page: to the best rival, by anything beyond doubt."""
    lost = {
        (family, float(epsilon), float(t))
        for family, epsilon, t in re.findall(r"\((\w+), ε = (\S+), T = ([\d.e+]+)\)", our_row())
    }
    places = {place for place, (how, _) in standings().items() if how == "higher"}
    assert len(lost) > 0
    assert lost <= {(family, float(epsilon), float(t)) for family, epsilon, t in places}
    assert passage("where_another_is_lower") in page("docs/which.md")


def test_the_price_of_privacy_is_told_from_a_table_beside_the_strongest_without_it():
    assert passage("price_of_privacy") in page("docs/how-to/contexts-of-your-own.md")
    rows = [line.strip("| ").split(" | ") for line in passage("price_of_privacy").splitlines()[2:]]
    right = {name: [float(cell.split()[0]) for cell in cells] for name, *cells in rows}
    without = [cells for name, cells in right.items() if "without privacy" in name]
    private = [cells for name, cells in right.items() if "without privacy" not in name]
    assert len(without) == 2
    for free, paid in zip(zip(*without, strict=True), zip(*private, strict=True), strict=True):
        assert max(free) > max(paid)


ALGORITHMS = {"HU": "stochastic", "FL": "sparse", "US": "kernel", "KL": ""}  # where their files are


def quotations(text: str) -> list[tuple[str, str]]:
    """(code, file) of each row of the tables: the file named in the row, else above the table."""
    found, above = [], ""
    for line in text.splitlines():
        names = re.findall(r"`([\w/]+\.py)`|\| (\w+\.py) \|$", line)
        named = [one or other for one, other in names]
        if line.startswith("#"):
            above = named[0] if named else above
        elif line.startswith("|") and (code := re.search(r" \| `(.+?)`(?: [|(]|$)", line)):
            found.append((code[1], named[-1] if named else above))
    return found


@pytest.mark.parametrize("paper", ALGORITHMS)
def test_each_quoted_line_is_in_its_file(paper):
    text, library = page(f"docs/algorithms/{paper}.md"), ROOT / "src/dpbandits"
    quoted, own = quotations(text), library / ALGORITHMS[paper]
    rows = [line for line in text.splitlines() if line.startswith("|") and "`" in line]
    assert len(quoted) == len(rows) > 10
    paths = {name: next(f / name for f in (own, library, ROOT) if (f / name).is_file())
             for _, name in quoted}  # fmt: skip
    read = {name: path.read_text("utf-8") for name, path in paths.items()}
    assert [(code, name) for code, name in quoted if code not in read[name]] == []
