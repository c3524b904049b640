"""Reproduces, judges and draws four papers with the library around it.

`hu`, `fl`, `us`, `kl`: what a paper claims (claims.toml, claims/), the computations behind its
tables (studies/) and its figures (figures/). `ledger` turns claims into verdicts, `pipeline` runs
everything, `plots`, `report` and `pdf` show it. The library imports nothing from here.
"""
