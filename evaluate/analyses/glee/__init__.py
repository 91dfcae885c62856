"""GLEE (arXiv:2410.05254): what the paper prints, checked, and beside it what records of its games say."""
