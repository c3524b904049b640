"""All functions and classes that docs/python-api.md imports have docstrings."""

import ast
import importlib
import inspect
import re

from scratch import ROOT

from dpbandits.core.algorithms import run

PAGE = (ROOT / "docs/python-api.md").read_text("utf-8")


def imported() -> list:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    objects = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("dpbandits"):
            module = importlib.import_module(node.module)
            objects += [getattr(module, alias.name) for alias in node.names]
    return [x for x in objects if inspect.isroutine(x) or inspect.isclass(x)]


def test_imported_functions_and_classes_have_docstrings():
    objects = imported()
    assert len(objects) > 15
    assert not [x.__qualname__ for x in objects if not inspect.getdoc(x)]


def test_docstring_of_run_names_every_parameter():
    text = inspect.getdoc(run)
    assert all(f"{name}:" in text for name in list(inspect.signature(run).parameters)[1:])
