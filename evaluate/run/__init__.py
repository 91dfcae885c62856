"""Playing designs: matches, processes, budgets, folders of records, replay."""
