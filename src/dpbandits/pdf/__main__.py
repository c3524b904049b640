"""python -m dpbandits.pdf FIGURES OUT: the article and letters of a folder of figures."""

import sys
from pathlib import Path

from dpbandits.pdf.build import build

figures, out = map(Path, sys.argv[1:])
build(figures / "claims.csv", out)
