"""A failed proof raises ProofError, also under python -O; nothing else is used for it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dpbandits
from dpbandits.core.errors import ProofError, require_proof


def test_false_condition_raises():
    require_proof(2 > 1, "arithmetic")
    for nothing in (False, None):
        with pytest.raises(ProofError, match="arithmetic"):
            require_proof(nothing, "arithmetic")


def test_under_python_without_assertions():
    code = "from dpbandits.core.errors import require_proof\nrequire_proof(1 > 2, 'arithmetic')"
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ProofError: arithmetic" in done.stderr


def test_sources_have_no_assertions():
    found = []
    for path in Path(dpbandits.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            raised = ast.unparse(node.exc) if isinstance(node, ast.Raise) and node.exc else ""
            other = raised.startswith(("AssertionError", "ArithmeticError"))
            if isinstance(node, ast.Assert) or other:
                found.append(f"{path.name}:{node.lineno}")
    assert not found
