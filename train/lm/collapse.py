"""Signs that a policy in training has collapsed, or never got going: what is measured, from where on it is an alarm.

Each sign is the mean over the last `WINDOW` steps, so that one unlucky step is none.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.train.lm.model import check

__all__ = ["ALARMS", "Alarm", "alarms_of", "find_signs", "watching"]

WINDOW = 5
"""Steps that a sign is measured over."""

OFF = "off"


class Alarm(NamedTuple):
    """From where on a sign is an alarm.

    Attributes:
        limit: The last value that is none.
        low: Whether values below it are one; else those above.
        told: What the sign is.
    """

    limit: float
    low: bool
    told: str


ALARMS = {
    "entropy": Alarm(0.02, True, "mean entropy of the model's own tokens, in nats"),
    "spread": Alarm(0.1, True, "share of the groups that something can be learned from, as they were drawn first"),
    "repetition": Alarm(0.95, False, "share of the plays of a group whose first reply is the most frequent one"),
    "invalid": Alarm(0.5, False, "share of the replies that could not be used"),
    "cut": Alarm(0.2, False, "share of the replies that were too long"),
}
"""By sign."""


def alarms_of(given: Mapping[str, Any]) -> dict[str, Alarm]:
    """The alarms of a run.

    Args:
        given: Limits by sign, or ``off``, in place of those of `ALARMS`.

    Raises:
        ValueError: No such sign, or no such limit.
    """
    out = dict(ALARMS)
    for name, limit in given.items():
        check(name in ALARMS, "alarm", name, ", ".join(ALARMS))
        if limit == OFF:
            del out[name]
            continue
        number = isinstance(limit, int | float) and not isinstance(limit, bool) and math.isfinite(limit)
        check(number and limit >= 0, name, limit, f"0 or more, or {OFF}")
        out[name] = ALARMS[name]._replace(limit=float(limit))
    return out


def find_signs(rows: Sequence[Mapping[str, float]], alarms: Mapping[str, Alarm]) -> dict[str, float]:
    """The signs that are alarms after these steps, with their values.

    Args:
        rows: Of all steps so far, one after the other, each with a value for every sign that it has.
        alarms: By sign.
    """
    out = {}
    for name, alarm in alarms.items():
        last = [float(row[name]) for row in rows[-WINDOW:] if row.get(name) is not None]
        if len(last) < WINDOW:
            continue
        mean = fmean(last)
        if mean < alarm.limit if alarm.low else mean > alarm.limit:
            out[name] = mean
    return out


def watching(alarms: Mapping[str, Alarm], stop: bool) -> Any:
    """A callback that looks for the signs after every step.

    It tells of an alarm on standard error when it begins, and adds to TRL's logs how many there are (``alarms``), for
    callbacks behind it. Its attribute ``told`` has what was said.

    Args:
        alarms: By sign.
        stop: Whether an alarm ends the training, with a checkpoint.
    """
    from transformers import TrainerCallback

    class Watching(TrainerCallback):
        def __init__(self) -> None:
            self.told: list[str] = []
            self.before: set[str] = set()

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.before = set(find_signs(state.log_history, alarms))

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            if not logs or "reward" not in logs:
                return  # the summary at the end
            signs = find_signs([row for row in state.log_history if "reward" in row], alarms)
            logs["alarms"] = len(signs)
            for name in [name for name in signs if name not in self.before]:
                self._tell(state.global_step, name, signs[name])
            self.before = set(signs)
            if signs and stop:
                control.should_save = control.should_training_stop = True

        def _tell(self, step: int, name: str, value: float) -> None:
            side = "below" if alarms[name].low else "above"
            text = f"step {step}: {name} {value:.3g} is {side} {alarms[name].limit:g} ({alarms[name].told})"
            self.told.append(text)
            print(f"warning: {text}", file=sys.stderr, flush=True)

    return Watching()
