"""What fails when a proof does not hold: one exception, in one way, also under python -O."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dpbandits
from dpbandits.core.errors import ProofError, require_proof


def test_what_is_not_proved_stops():
    require_proof(2 > 1, "arithmetic")
    for nothing in (False, None):
        with pytest.raises(ProofError, match="arithmetic"):
            require_proof(nothing, "arithmetic")


def test_also_when_python_drops_assertions():
    code = "from dpbandits.core.errors import require_proof\nrequire_proof(1 > 2, 'arithmetic')"
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ProofError: arithmetic" in done.stderr


def test_no_other_way_in_the_sources():
    found = []
    for path in Path(dpbandits.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            raised = ast.unparse(node.exc) if isinstance(node, ast.Raise) and node.exc else ""
            other = raised.startswith(("AssertionError", "ArithmeticError"))
            if isinstance(node, ast.Assert) or other:
                found.append(f"{path.name}:{node.lineno}")
    assert not found
