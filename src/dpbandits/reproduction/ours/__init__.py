"""What we say of ourselves, judged like a paper: claims on our own algorithms, by the same rules.

They are in the ledger, in the report and in figures/claims.md, and in no count of the papers.
"""

from dpbandits.reproduction.papers import OWN, Paper

PAPER = Paper(key=OWN, title="What we say of ourselves", package=__name__, order=10)
