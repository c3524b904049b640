"""What `dpbandits bound` knows of US's theorems."""
