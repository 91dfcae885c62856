"""Named parameter settings of last-one-standing."""

SCENARIOS = {"default": {}, "duel": {"players": 2}}
