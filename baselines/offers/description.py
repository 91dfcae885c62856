"""Descriptions in words of sampled bargaining strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from econzoo.baselines.offers import productions as p

RECALL_NAMES = {p.LAST: "last", p.MEAN: "mean", p.BEST: "best"}

DEMANDS: Mapping[float, str] = {
    p.CLOCK: "comes down from {high} to {low} of the stake by the clock (e = {rate:.2g})",
    p.FIRM: "asks for {high} of the stake throughout",
    p.STEPS: "asks for {high} of the stake and gives up {part} of what is left above {low} with each offer",
    p.RECIPROCAL: "asks for {high} of the stake and comes down, to {low} at most, by {rate:.2g} times {moved}",
    p.MIRROR: "asks for {high} of the stake, then for what the other last asked for, but at least {low}",
    p.TOWARDS: "asks for {high} of the stake, then moves {part} of the way to the {recalled} offer, down to {low}",
    p.HARDEN: "begins at {opening} of the stake, goes up by {part} after a concession, down by {down} after none",
    p.GRUDGE: "asks for {opening} of the stake, and for {high} after an offer below {least}{until}",
}
"""Descriptions of demand rules."""

TAKES: Mapping[float, str] = {
    p.CONSTANT: "accepts {least}",
    p.NEXT: "accepts what it would ask for next",
    p.EITHER: "accepts {least}, or what it would ask for next if that is less",
    p.AS_GIVEN: "accepts as much as it last offered",
    p.BEST_SO_FAR: "accepts {margin} more than the best offer before, at least {least}",
    p.UNLESS_WRONGED: "accepts {least}, and {margin} after an offer below that{until}",
}
"""Descriptions of acceptance rules."""

CHANGES: Mapping[float, str] = {
    p.AT_ROUND: "from round {when:.0f} on",
    p.AT_STALL: "once the other's first {when:.0f} offers have risen by less than {by}",
    p.AT_GENEROSITY: "once the other has offered {by}",
}
"""Conditions of a change of rules."""


def format_percent(share: float) -> str:
    """Format a share as ``45%``."""
    return f"{100.0 * share:.0f}%"


def describe_rule_set(x: Sequence[float], at: int) -> str:
    """Describe the rule set that starts at index `at` of the numbers."""
    high, low, opening, part, down, least, margin = (
        format_percent(x[at + place]) for place in (p.HIGH, p.LOW, p.OPENING, p.RATE, p.DOWN, p.LEAST, p.MARGIN)
    )
    recalled, forgives = RECALL_NAMES[int(x[at + p.RECALL])], int(x[at + p.FORGIVES])
    by_last = x[at + p.DOWN] == 1.0
    given = {
        "moved": "the other's last step" if by_last else f"how far the {recalled} offer is above the first",
        "until": f", until {forgives} in a row are no less"
        if forgives > 1
        else ", until the next" * forgives or ", for good",
    }
    shares = {
        "high": high,
        "low": low,
        "opening": opening,
        "part": part,
        "down": down,
        "least": least,
        "margin": margin,
    }
    parts = [
        one.format(**given, **shares, recalled=recalled, rate=x[at + p.RATE])
        for one in (DEMANDS[x[at + p.DEMAND]], TAKES[x[at + p.TAKE]])
    ]
    errs = []
    if x[at + p.SWING]:
        errs.append(f"its asks are off by up to {format_percent(x[at + p.SWING])}")
    if x[at + p.REFUSALS]:
        errs.append(f"it refuses anything in {format_percent(x[at + p.REFUSALS])} of rounds")
    scraps = ", in a known last round anything" if x[at + p.SCRAPS] else ""
    return "; ".join([f"{parts[0]}; {parts[1]}{scraps}", *errs])


def describe_strategy(x: Sequence[float]) -> str:
    """Describe a strategy in one sentence from its numbers (`econzoo.baselines.offers.productions`)."""
    first, change = describe_rule_set(x, p.HEAD), CHANGES.get(x[p.CHANGE], "")
    text = f"{first}; {change}: {describe_rule_set(x, p.HEAD + p.SIZE)}" if change else first
    return f"{text[0].upper()}{text[1:]}.".format(when=x[p.WHEN], by=format_percent(x[p.HOW_MUCH]))
