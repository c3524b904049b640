"""How US's quantities are computed: estimators, features, exact kernels, certificates."""
