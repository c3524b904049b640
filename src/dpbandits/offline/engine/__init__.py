"""What KL's three problems share: certificates, searches, families of data sets."""
