"""python -m dpbandits.pdf FIGURES OUT: the paper of a folder of figures, as the committed one."""

import sys
from pathlib import Path

from dpbandits.pdf.build import build

figures, out = map(Path, sys.argv[1:])
build(figures / "claims.csv", out / "reproduction.pdf", out / "errata/index.csv")
