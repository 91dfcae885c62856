"""Players: scripts, language models, RL policies and people. `factory.player` builds one from a spec."""
