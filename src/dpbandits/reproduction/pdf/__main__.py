"""python -m dpbandits.reproduction.pdf FIGURES OUT: article and letters of a folder of figures."""

import sys
from pathlib import Path

from dpbandits.reproduction.pdf.build import build

figures, out = map(Path, sys.argv[1:])
build(figures / "claims.csv", out)
