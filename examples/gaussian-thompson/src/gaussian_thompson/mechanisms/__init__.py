"""The mechanism of TS alone."""
