"""Claims as data, their checks, verdicts and certificates, and the ledger that joins them."""
