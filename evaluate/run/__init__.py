"""Designs are played here: plans, matches, processes, budgets, folders of records, replay."""
