"""How FLIPHAT is simulated: contexts, N-IHT, selections, noise per preset."""
