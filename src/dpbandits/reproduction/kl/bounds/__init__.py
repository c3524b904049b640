"""What `dpbandits bound` knows of KL's theorems."""
