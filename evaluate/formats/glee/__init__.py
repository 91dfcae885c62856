"""GLEE (arXiv:2410.05254): import, export and configurations of its published games."""
