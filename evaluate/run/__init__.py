"""Designs are played here: matches, processes, budgets, folders of records, replay."""
