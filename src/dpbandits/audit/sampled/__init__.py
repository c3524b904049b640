"""Lower bounds on a loss from samples alone, with a stated confidence."""
