"""The colours of KL's figures (after Okabe and Ito)."""

BLUE, RED, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#555555"
PINK, SKY, ORANGE, WINE = "#CC79A7", "#56B4E9", "#E69F00", "#882255"
