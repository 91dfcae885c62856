"""Studies with people: study file, matching, payment, plan, export and comparison."""
