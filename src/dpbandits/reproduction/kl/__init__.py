"""KL, judged: claims, studies and figures of the paper whose algorithms are in offline/."""

from dataclasses import replace

from dpbandits import offline

PAPER = replace(offline.PAPER, reproduction=__name__)
