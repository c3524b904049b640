"""What docs/python-api.md imports from the library says what it takes and returns."""

import ast
import importlib
import inspect
import re

from scratch import ROOT

PAGE = (ROOT / "docs/python-api.md").read_text("utf-8")


def imported() -> list:
    """The functions and classes of dpbandits that the page's code imports."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("dpbandits"):
            module = importlib.import_module(node.module)
            found += [getattr(module, alias.name) for alias in node.names]
    return [thing for thing in found if inspect.isroutine(thing) or inspect.isclass(thing)]


def test_everything_that_the_page_imports_has_a_docstring():
    things = imported()
    assert len(things) > 15
    assert not [thing.__qualname__ for thing in things if not inspect.getdoc(thing)]


def test_every_parameter_of_run_is_explained():
    from dpbandits.core.algorithms import run

    text = inspect.getdoc(run)
    assert all(f"{name}:" in text for name in list(inspect.signature(run).parameters)[1:])
