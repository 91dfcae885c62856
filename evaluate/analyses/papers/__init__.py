"""Published numbers: one TOML file per paper, read by `econzoo.evaluate.analyses.paper_numbers`."""
