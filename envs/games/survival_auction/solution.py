"""References for the survival auction."""
