"""FL's tables that are not simulations."""
