"""Figures of the auditors themselves."""
