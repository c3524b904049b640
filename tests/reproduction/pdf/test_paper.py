"""The documents made from the committed ledger: lengths, numbers, each row once."""

import re

import pandas as pd
import pytest
import typst
from scratch import ROOT

from dpbandits.reproduction.ledger.verdicts import row_name, wrong_statements
from dpbandits.reproduction.pdf import build
from dpbandits.reproduction.pdf.markup import markup
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.plots.texmath import NAMES, replaced
from dpbandits.reproduction.plots.words import formulas

TEMPLATES = ROOT / "src/dpbandits/reproduction/pdf"
LEDGER = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
ROWS = LEDGER.to_dict("records")
PLACES = r"""(?x) \$[^$]*\$ | [A-Z]{2}-[A-Z]\S* | arXiv\ \d{4}\.\d{5} | \b(19|20)\d\d\b | \(\d+\)
    | \b(Theorem|Lemma|Section|Step|Algorithm)\ [\d.]+\b"""  # where texts may have digits
TEXTS = {*LEDGER.to_numpy().ravel(), *(f.title for f in figures().values())}
TEXTS |= {f.paper_says for f in figures().values()}
TEXTS |= {path.read_text().strip() for path in (ROOT / "figures").glob("*/*.txt")}


def test_no_tex_is_left_and_typst_compiles_all_texts():
    unknown: set[str] = set()

    def collect_unknown(node):
        if node is not None:
            unknown.update({node.text} - NAMES if node.kind == "name" else ())
            list(map(collect_unknown, node.parts))
        return ""

    for text in TEXTS:
        replaced(text, collect_unknown)
        assert not re.search(r"\\[A-Za-z]", markup(text)), text
    assert not unknown
    typst.compile("\n\n".join(markup(text) for text in sorted(TEXTS)).encode())


def test_texts_contain_no_typed_numbers():
    """In layout.typ only the texts, in brackets, are checked: its code has sizes."""
    for path in TEMPLATES.glob("*.typ"):
        text = re.sub(r"//.*|[A-Z]{2}-[A-Z][\w.-]*", "", path.read_text())
        parts = re.findall(r"\[([^\[\]]*)\]", text) if path.stem == "layout" else [text]
        for words in parts:
            assert not re.search(r"(?<!\w)\d", words), path.name
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


def test_formulas_keep_all_numbers():
    """Powers of ten and the names of kernels are only spelled differently."""

    def numbers(text):
        text = re.sub(r"matern(\d)(\d)", r"\1/\2", text)
        text = re.sub(r"(\d[\d.]*)\\cdot10\^\{(-?\d+)\}", r"\1e\2", text)
        text = re.sub(r"(?<![\w.])10\^\{?(-?\d+)\}?(?![.\d])", r"1e\1", text)
        return [float(n) for n in re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]

    for text in TEXTS:
        assert numbers(formulas(text)) == numbers(text), text


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """The folder of all documents about the committed figures."""
    out = tmp_path_factory.mktemp("paper")
    build.build(ROOT / "figures/claims.csv", out)
    return out


def pages(pdf):
    """The number of pages of a PDF written by Typst."""
    return len(re.findall(rb"/Type ?/Page\b", pdf.read_bytes()))


def test_numbers_of_pages(documents):
    assert 6 <= pages(documents / "reproduction.pdf") <= 12
    letters = {path.stem: pages(path) for path in documents.glob("letters/*.pdf")}
    assert letters.keys() == {"hu", "fl", "us", "kl"}
    assert max(letters.values()) <= 2


def test_letters_have_each_serious_failure_once_with_its_texts():
    for paper in build.contents(ROWS, [], ["hu", "fl", "us", "kl"])["papers"]:
        rows = [row for row in ROWS if row["paper"] == paper["name"]]
        wrong = {row["id"] for row in wrong_statements(rows)}
        serious = [
            row_name(row) for row in rows if row["id"] in wrong and row["severity"] in build.SERIOUS
        ]
        in_letter = [row for cause in paper["causes"] for row in (cause["row"], *cause["others"])]
        names = [row["name"] for row in in_letter]
        assert len(set(names)) == len(names)
        assert set(serious) <= set(names)
        assert all(row["claim"] and row["repaired"] for row in in_letter)
        texts = build.TEXTS[paper["key"]]["causes"]
        assert {cause["id"] for cause in paper["causes"]} == texts.keys()
        assert all(cause["means"] for cause in paper["causes"])


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


def test_letter_of_a_paper_without_failures(tmp_path):
    rows = [row for row in ROWS if row["paper"] == "HU" and row["verdict"] == "holds"]
    data = build.contents(rows, [], ["hu"])
    build.letter(data | {"paper": data["papers"][0]}, tmp_path, tmp_path / "a")
    assert pages(tmp_path / "a") == 1
