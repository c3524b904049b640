"""Reproduces, judges and draws four papers with the library around it.

`hu`, `fl`, `us`, `kl`: what a paper claims (claims.toml, claims/), the computations behind its
tables (studies/) and its figures (figures/); `ours`: what we say of our own algorithms. `ledger`
turns claims into verdicts, `pipeline` runs everything, `plots` and `report` show it. The library
imports nothing from here.
"""
