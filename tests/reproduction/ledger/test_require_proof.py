"""A failed proof raises ProofError, also under python -O; nothing else is used for it."""

import subprocess
import sys

import pytest

from dpbandits.core.errors import ProofError
from dpbandits.reproduction.proofs import require_proof


def test_false_condition_raises():
    require_proof(2 > 1, "arithmetic")
    for nothing in (False, None):
        with pytest.raises(ProofError, match="arithmetic"):
            require_proof(nothing, "arithmetic")


def test_under_python_without_assertions():
    code = "from dpbandits.reproduction.proofs import require_proof as r; r(1 > 2, 'arithmetic')"
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ProofError: arithmetic" in done.stderr
