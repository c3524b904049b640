"""What `dpbandits audit` also knows: the lazy algorithms as printed."""
