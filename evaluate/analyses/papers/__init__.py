"""What papers print, as data: one TOML file for each paper, which `econzoo.evaluate.analyses.paper_numbers` reads."""
