"""The paper: numbers from the ledger, no TeX left, equal bytes, an erratum per refuted claim."""

import ast
import re

import pandas as pd
import pytest
import typst
from scratch import ROOT

from dpbandits.core.ledger import VERDICTS
from dpbandits.pdf import build
from dpbandits.pdf.markup import markup
from dpbandits.pipeline.figures import figures
from dpbandits.plots.texmath import NAMES, replaced
from dpbandits.plots.words import formulas

TEMPLATES = ROOT / "src/dpbandits/pdf"
LEDGER = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
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
        text = re.sub(r"//.*", "", path.read_text())
        parts = re.findall(r"\[([^\[\]]*)\]", text) if path.stem == "layout" else [text]
        for words in parts:
            assert not re.search(r"(?<![A-Za-z])\d", words), (path.name, words)
    for name in ("build", "markup"):
        for words in said((TEMPLATES / f"{name}.py").read_text()):
            assert not re.search(r"(?<![A-Za-z\\-])\d", words), (name, words)
    assert [*said('a = f"{b:.6g} 5"\nre.compile("7")\ndef f():\n "9"')] == [" 5"]


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
def small():
    """A row of every verdict and paper, two of one id, and a figure for two papers."""
    rows = LEDGER.drop_duplicates(["paper", "verdict"])
    rows = pd.concat([rows, LEDGER[LEDGER["id"] == "US-L4.4"]]).drop_duplicates()
    return rows, [figures()["hu/lower_bound"], figures()["kl/tightness"]]


def test_numbers_are_those_of_the_ledger(small):
    rows, chosen = small
    said = build.contents(rows, chosen, ROOT / "figures")
    assert said["claims"] == len(set(rows["id"]))
    assert said["counts"] == {v: sum(rows["verdict"] == v) for v in VERDICTS}
    assert sum(said["methods"].values()) == said["counts"]["holds"] + said["counts"]["violated"]
    papers = {paper["name"]: paper for paper in said["papers"]}
    assert set(papers) == set(rows["paper"])
    for name, paper in papers.items():
        own = rows[rows["paper"] == name]
        assert paper["total"] == len(own) == sum(paper["counts"].values())
        assert [r["id"] for r in paper["refuted"]] == [
            *own["id"][own["verdict"].isin(["violated", "rejected"])]
        ]
    assert [len(papers[name]["figures"]) for name in ("HU", "KL", "US")] == [1, 1, 0]
    whole = build.contents(LEDGER, [], ROOT / "figures")
    assert len(whole["rows"]) == len(LEDGER)


def test_equal_inputs_give_equal_bytes(small, tmp_path):
    said = build.contents(*small, ROOT / "figures")
    for name in "ab":
        build.typeset("paper", said, ROOT / "figures", tmp_path / name)
    first = (tmp_path / "a").read_bytes()
    assert first == (tmp_path / "b").read_bytes()
    assert first.startswith(b"%PDF")
    said["counts"]["holds"] += 1
    build.typeset("paper", said, ROOT / "figures", tmp_path / "b")
    assert first != (tmp_path / "b").read_bytes()


def test_a_figure_that_is_not_drawn_yet_is_left_out(tmp_path):
    LEDGER.head(1).to_csv(tmp_path / "claims.csv", index=False)
    build.build(tmp_path / "claims.csv", tmp_path / "paper.pdf", tmp_path / "errata/index.csv")
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")


def test_an_erratum_per_refuted_claim_and_no_other(small, tmp_path):
    rows, _ = small
    (tmp_path / "HU-C10a.pdf").write_text("refuted once, no more")
    index = build.errata(rows, tmp_path)
    refuted = rows[rows["verdict"] == "violated"]
    assert {path.stem for path in tmp_path.glob("*.pdf")} == set(refuted["id"])
    assert dict(zip(index["id"], index["readings"], strict=True)) == dict(
        refuted["id"].value_counts()
    )


def test_a_refutation_says_how_to_check_it():
    refuted = LEDGER[LEDGER["verdict"] == "violated"]
    for id, rows in refuted.groupby("id"):
        checks = build.erratum(id, rows, rows["verdict"] == "violated")["checks"]
        lines = [line for _, line in checks]
        assert lines[-1] == f"dpbandits check {id}"
        certificates = [path for path in rows["certificate"] if path]
        checker, *files = lines[0].removeprefix("python3 -I ").split()
        assert files == certificates or not certificates
        assert all((ROOT / path).is_file() for path in (checker, *files))
        assert ("make proofs" in lines) == rows["evidence"].str.contains(r"\.v").any()


def test_an_erratum_has_one_page(tmp_path):
    index = build.errata(LEDGER, tmp_path)
    assert len(index) == LEDGER.loc[LEDGER["verdict"] == "violated", "id"].nunique()
    for name in index["file"]:
        assert pages(tmp_path / name) == 1, name


def test_a_longer_erratum_says_less_and_stays_on_its_page(tmp_path):
    rows = LEDGER[LEDGER["id"] == "KL-T3-pure"].assign(tightness="near enough, " * 99)
    build.errata(rows, tmp_path)
    assert pages(tmp_path / "KL-T3-pure.pdf") == 1
    build.errata(rows.assign(statement="everywhere, " * 900), tmp_path)
    assert pages(tmp_path / "KL-T3-pure.pdf") > 1  # so that the test above can fail


def pages(pdf):
    """Of a PDF as Typst writes it."""
    return len(re.findall(rb"/Type ?/Page\b", pdf.read_bytes()))


def test_repairs_are_those_of_what_fails():
    counts = build.contents(LEDGER, [], ROOT / "figures")["repairs"]
    assert sum(counts.values()) == LEDGER["verdict"].isin(["violated", "rejected"]).sum()
