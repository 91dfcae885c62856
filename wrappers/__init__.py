"""Wrappers around environments: text observations, discrete actions, another reward or message channel, recording.

The names below wrap PettingZoo environments of this package; `SingleAgentEnv` makes one seat a Gymnasium environment.
They are imported when first used (``__init__.pyi`` lists them).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
