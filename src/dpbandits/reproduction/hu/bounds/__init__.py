"""What `dpbandits bound` knows of HU's theorems."""
