"""The name of `econzoo.envs.families.open_source` in version 0.1; it goes with 0.2."""

import sys
from importlib import import_module

sys.modules[__name__] = import_module("econzoo.envs.families.open_source")
