"""Tables of the auditors themselves."""
