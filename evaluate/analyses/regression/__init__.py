"""The regression analysis of GLEE (arXiv:2410.05254) on any records: effects of settings and players."""
