"""Named parameter settings of matching pennies."""

SCENARIOS = {"default": {}, "one-shot": {"rounds": 1}}
