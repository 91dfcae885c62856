"""Training: PPO for RL agents; SFT, DPO, expert iteration and GRPO for language models.

The names below are imported when first used (``__init__.pyi`` lists them): nothing heavy loads with the package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
