"""Environment wrappers: text observations, discrete actions, objectives, message channels, recording.

They wrap PettingZoo environments of this package; `SingleAgentEnv` exposes one seat as a Gymnasium environment. Names
are imported lazily (see ``__init__.pyi``).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
