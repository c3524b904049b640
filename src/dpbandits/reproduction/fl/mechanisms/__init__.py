"""What `dpbandits audit` also knows: Peeling and N-IHT as printed."""
