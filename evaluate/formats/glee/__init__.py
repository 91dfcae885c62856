"""What connects EconZoo with GLEE (arXiv:2410.05254): its published data, its configurations, its benchmark."""
