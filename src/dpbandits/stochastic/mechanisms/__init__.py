"""What `dpbandits audit` and `calibrate` know of HU."""
