"""Players: scripts, language models, RL policies and people. `factory.player` builds one from a spec."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
