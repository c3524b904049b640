"""The article and letters of the committed ledger: lengths, numbers, each row once."""

import ast
import json
import re

import pandas as pd
import pytest
import typst
from scratch import ROOT

from dpbandits.core.ledger import FAILS, VERDICTS, row_name
from dpbandits.pdf import build
from dpbandits.pdf.markup import markup
from dpbandits.pipeline.figures import figures
from dpbandits.plots.texmath import NAMES, replaced
from dpbandits.plots.words import formulas

TEMPLATES = ROOT / "src/dpbandits/pdf"
LEDGER = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
ROWS = LEDGER.to_dict("records")
PLACES = r"""(?x) \$[^$]*\$ | [A-Z]{2}-[A-Z]\S* | arXiv\ \d{4}\.\d{5} | \b(19|20)\d\d\b | \(\d+\)
    | \b(Theorem|Lemma|Section|Step|Algorithm)\ [\d.]+\b"""  # where a digit may stand
TEXTS = {*LEDGER.to_numpy().ravel(), *(f.title for f in figures().values())}
TEXTS |= {f.paper_says for f in figures().values()}
TEXTS |= {path.read_text().strip() for path in (ROOT / "figures").glob("*/*.txt")}
BY_HAND = {
    r"$\frac{\beta_0}{\sqrt N}$": "$frac(β_(0), sqrt(N))$",
    r"$\ln(1/\delta)$": r'$op("ln") \( 1 \/ δ \)$',
    r"$(\frac12]$": "$( frac(1, 2) ]$",
    r"$\|x\|_2, 10{,}000$": "$lr(‖ x ‖)_(2) \\, 10 \\, 000$",
    r"$D'_i$ and $e^{\varepsilon}$": "$D'_(i)$ and $e^(ε)$",
    r"$\bar\mu \le \overline x$": '$macron(μ) ≤ op("overline") x$',
    r"$\mathrm{KL}(\pi)$ of `a_b`": r'$op("KL") \( π \)$ of #raw("a_b")',
    "5$, #1 *a* docs/proofs": "5\\$, \\#1 \\*a\\* docs\\/\u200bproofs",
}


@pytest.mark.parametrize("tex", BY_HAND)
def test_by_hand(tex):
    assert markup(tex) == BY_HAND[tex]


def test_no_tex_is_left_and_typst_takes_every_text():
    unknown: set[str] = set()

    def names(node):
        if node is not None:
            unknown.update({node.text} - NAMES if node.kind == "name" else ())
            list(map(names, node.parts))
        return ""

    for text in TEXTS:
        replaced(text, names)
        assert not re.search(r"\\[A-Za-z]", markup(text)), text
    assert not unknown
    typst.compile("\n\n".join(markup(text) for text in sorted(TEXTS)).encode())


def test_no_number_is_typed_by_hand():
    """Not in what is said; sizes stand in layout.typ, outside of its texts."""
    for path in TEMPLATES.glob("*.typ"):
        text = re.sub(r"//.*|[A-Z]{2}-[A-Z][\w.-]*", "", path.read_text())
        parts = re.findall(r"\[([^\[\]]*)\]", text) if path.stem == "layout" else [text]
        for words in parts:
            assert not re.search(r"(?<!\w)\d", words), path.name
    for name in ("build", "markup"):
        for words in said((TEMPLATES / f"{name}.py").read_text()):
            assert not re.search(r"(?<![A-Za-z\\-])\d", words), (name, words)
    assert [*said('a = f"{b:.6g} 5"\nre.compile("7")\ndef f():\n "9"')] == [" 5"]
    for words in leaves(build.TEXTS):
        assert not re.search(r"(?<!\w)\d", re.sub(PLACES, "", words)), words
    assert re.sub(PLACES, "", "Theorem 3.2 of HU-T8, $2x$ (12) in 2024: 88") == " of    in : 88"


def leaves(node):
    """All texts of a TOML file."""
    if isinstance(node, str):
        yield node
    else:
        for part in node.values() if isinstance(node, dict) else node:
            yield from leaves(part)


def said(source):
    """Texts of a module: not its docstrings, nor its patterns and formats."""
    tree = ast.parse(source)
    kinds = ast.Module | ast.FunctionDef | ast.ClassDef
    notes = {ast.get_docstring(n, clean=False) for n in ast.walk(tree) if isinstance(n, kinds)}
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    quiet = [n for n in calls if ast.unparse(n.func) == "re.compile"]
    quiet += [n.format_spec for n in ast.walk(tree) if getattr(n, "format_spec", None)]
    unsaid = {id(part) for node in quiet for part in ast.walk(node)}
    for node in ast.walk(tree):
        text = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and text not in notes and id(node) not in unsaid:
            yield text


def test_no_number_changes_on_its_way():
    """All that are said, but for powers of ten and the names of kernels in another spelling."""

    def numbers(text):
        text = re.sub(r"matern(\d)(\d)", r"\1/\2", text)
        text = re.sub(r"(\d[\d.]*)\\cdot10\^\{(-?\d+)\}", r"\1e\2", text)
        text = re.sub(r"(?<![\w.])10\^\{?(-?\d+)\}?(?![.\d])", r"1e\1", text)
        return [float(n) for n in re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]

    for text in TEXTS:
        assert numbers(formulas(text)) == numbers(text), text


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """All documents of the committed figures."""
    out = tmp_path_factory.mktemp("paper")
    build.build(ROOT / "figures/claims.csv", out)
    return out


def pages(pdf):
    """Of a PDF as Typst writes it."""
    return len(re.findall(rb"/Type ?/Page\b", pdf.read_bytes()))


def test_lengths(made):
    assert 6 <= pages(made / "reproduction.pdf") <= 12
    letters = {path.stem: pages(path) for path in made.glob("letters/*.pdf")}
    assert letters.keys() == {"hu", "fl", "us", "kl"}
    assert max(letters.values()) <= 2
    assert pages(made / "supplement.pdf") > 12  # so that the tests above can fail


def test_each_row_once_in_the_supplement():
    data = build.contents(ROWS, [], ["hu", "fl", "us", "kl"])
    parts = [(TEMPLATES / f"{name}.typ").read_text() for name in ("layout", "supplement")]
    printed = typst.query(
        "\n".join(parts).encode(), "<row>", field="value", sys_inputs={"data": json.dumps(data)}
    )
    assert sorted(json.loads(printed)) == sorted(map(row_name, ROWS))


def test_letters_have_each_serious_failure_once_with_its_words():
    for paper in build.contents(ROWS, [], ["hu", "fl", "us", "kl"])["papers"]:
        own = [row for row in ROWS if row["paper"] == paper["name"]]
        serious = [row_name(row) for row in own if row["severity"] in build.SERIOUS]
        told = [row for cause in paper["causes"] for row in (cause["row"], *cause["others"])]
        assert sorted(row["name"] for row in told) == sorted(serious)
        assert all(row["claim"] and row["repaired"] for row in told)
        assert {cause["id"] for cause in paper["causes"]} == build.TEXTS[paper["key"]][
            "causes"
        ].keys()
        assert all(cause["means"] for cause in paper["causes"])


def test_counts_are_those_of_the_ledger():
    data = build.contents(ROWS, [], ["hu", "fl", "us", "kl"])
    assert data["counts"]["verdicts"] == {v: sum(LEDGER["verdict"] == v) for v in VERDICTS}
    failing = LEDGER["verdict"].isin(FAILS)
    for name in ("severities", "repairs"):
        assert sum(data["counts"][name].values()) == data["counts"]["failing"] == failing.sum()
    for paper in data["papers"]:
        assert paper["counts"]["rows"] == sum(LEDGER["paper"] == paper["name"])
        assert paper["counts"]["failing"] == sum(failing & (LEDGER["paper"] == paper["name"]))


def test_our_own_errors_name_rows_that_exist():
    for error in build.TEXTS["errors"]:
        assert set(error["rows"]) <= set(LEDGER["id"]), error["area"]


def test_equal_inputs_give_equal_bytes(tmp_path):
    data = build.contents(ROWS, [], ["us"])
    for name in "ab":
        build.typeset("article", data, tmp_path, tmp_path / name)
    first = (tmp_path / "a").read_bytes()
    assert first == (tmp_path / "b").read_bytes()
    assert first.startswith(b"%PDF")
    data["counts"]["verdicts"]["holds"] += 1
    build.typeset("article", data, tmp_path, tmp_path / "b")
    assert first != (tmp_path / "b").read_bytes()


def test_a_paper_without_texts_and_failures_has_a_letter(tmp_path):
    rows = [row for row in ROWS if row["paper"] == "HU" and row["verdict"] == "holds"]
    data = build.contents(rows, [], ["hu"])
    build.letter(data | {"paper": data["papers"][0]}, tmp_path, tmp_path / "a")
    assert pages(tmp_path / "a") == 1
