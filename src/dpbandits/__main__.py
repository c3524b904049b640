"""python -m dpbandits: the command `dpbandits`."""

import sys

from dpbandits.cli import main

sys.exit(main())
