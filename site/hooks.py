"""Hooks of ProperDocs for the site (properdocs.yml): formulas, links to the checkout, help, search.

Formulas become MathML. A link to a file outside docs/ leads to that file in the checkout. cli.md
gets the help of every command. The ledger, the table of published figures and the letters are
pages, as the last run published them.
"""

import contextlib
import io
import os
import re
from pathlib import Path

from properdocs.exceptions import PluginError

from dpbandits.cli import build_parser
from dpbandits.reproduction.report.formulas import formula

SITE = Path(__file__).parent
DOCS = SITE.parent / "docs"
FIGURES = DOCS.parent / "figures"
CODE = r"^```.*?^```$|`[^`\n]+`"  # not changed
FORMULA = re.compile(rf"{CODE}|(?P<formula>\$\$.+?\$\$|\$[^$\n]+\$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(rf"{CODE}|\]\((?P<target>\.\./[^)\s#]*)", re.DOTALL | re.MULTILINE)
COMMANDS = "<!-- the help of every command -->"


def on_files(files, *, config):
    """Pages too: each tutorial, a notebook with its outputs, and what a run published as text."""
    from nbconvert import MarkdownExporter
    from properdocs.structure.files import File

    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        files.remove(file)
        page = Path(file.src_uri).with_suffix(".md")
        named = {"unique_key": page.stem}
        text, made = MarkdownExporter().from_filename(file.abs_src_path, resources=named)
        files.append(File.generated(config, str(page), content=text))
        for name, picture in made["outputs"].items():
            files.append(File.generated(config, str(page.with_name(name)), content=picture))
    for path in (FIGURES / "claims.md", FIGURES / "reproduced.md", *FIGURES.glob("*/letter.md")):
        text = path.read_text(encoding="utf-8").replace("](../../docs/", "](../../")
        files.append(File.generated(config, f"figures/{path.relative_to(FIGURES)}", content=text))
        for name in {*re.findall(r'["(]([^"()]+\.png)[")]', text)}:
            source = path.parent / name
            page = f"figures/{source.relative_to(FIGURES)}"
            files.append(File.generated(config, page, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown, *, page, config, files):
    if COMMANDS in markdown:
        markdown = markdown.replace(COMMANDS, help_of_all())
    page.meta["formulas"] = formulas = []
    markdown = re.sub(r"(\]\(tutorial/\w+)\.ipynb\)", r"\1.md)", markdown)

    def link(match):
        target = match["target"] if not page.file.src_uri.startswith("figures/") else None
        return f"]({address(target, page, config)}" if target else match[0]

    def kept(match):
        if not match["formula"]:
            return match[0]
        formulas.append(match["formula"])
        return f"FORMULA{len(formulas) - 1}END"

    return FORMULA.sub(kept, LINK.sub(link, markdown))


def on_page_content(content, *, page, config, files):
    formulas = page.meta["formulas"]
    content = re.sub(r"FORMULA(\d+)END", lambda m: as_mathml(formulas[int(m[1])]), content)
    return content.replace('"checkout:', '"')


def on_post_build(*, config):
    """The script of the search, with its index in it: pages opened as files may fetch nothing."""
    folder = Path(config.site_dir, "search")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    lunr, search = (
        path.read_text(encoding="utf-8") for path in (folder / "lunr.js", SITE / "search.js")
    )
    (folder / "main.js").write_text(f"{lunr}\nconst INDEX = {index};\n{search}", encoding="utf-8")


def as_mathml(written: str) -> str:
    mathml = formula(written.strip("$"), "block" if written.startswith("$$") else "inline")
    if unknown := re.search(r">(\\[A-Za-z]+)<", mathml):
        raise PluginError(f"no MathML for {unknown[1]} in {written}")
    return mathml


def address(target: str, page, config) -> str:
    """The path from a page of the site to the file that a link outside docs/ names."""
    source = (DOCS / page.file.src_uri).parent / target
    path = Path(os.path.normpath(source))
    if not path.exists():
        raise PluginError(f"{page.file.src_uri}: no file {target}")
    if path.is_relative_to(DOCS):
        return target
    folder = Path(config.site_dir, page.file.dest_uri).parent
    return f"checkout:{os.path.relpath(path, folder)}"


def help_of_all() -> str:
    """One section per command of `dpbandits`."""
    commands = re.findall(r"^    ([a-z]+)\b", build_parser().format_help(), re.MULTILINE)
    return "\n\n".join(f"## {name}\n\n```\n{help_of(name)}\n```" for name in commands)


def help_of(command: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        build_parser().parse_args([command, "--help"])
    return printed.getvalue().rstrip()
