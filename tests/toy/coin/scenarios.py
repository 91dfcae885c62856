"""Named parameter settings of call-the-coin."""

SCENARIOS = {"default": {}, "loaded": {"bias": 0.9}}
