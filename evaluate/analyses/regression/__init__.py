"""The regression analysis of GLEE (arXiv:2410.05254) on any records: what the market and the players change."""
