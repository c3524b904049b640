"""Tables that are computed, not simulated."""
