"""What KL's three problems share: neighbours, attacks, families of data sets."""
