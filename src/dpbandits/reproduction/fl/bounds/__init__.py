"""What `dpbandits bound` knows of FL's theorems."""
