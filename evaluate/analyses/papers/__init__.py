"""What papers print, as data: one TOML file for each table, which `econzoo.evaluate.analyses.published` reads."""
