"""US's tables that are not simulations."""
