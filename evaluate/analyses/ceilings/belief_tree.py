"""Best responses to opponents that are known only as players: a search over own offers against copies of them.

In games of alternating offers with a player that plans (`econzoo.baselines.offers`), whose offers are the candidates. A
policy chooses by its own moves and by what it has observed: the game tree is expanded for all opponents together, and
after each own move they are grouped by their reply. Values follow by backward induction over these groups, which are
the beliefs of a player with a uniform prior. With a single opponent this is the full-information best response, with
all members of families it is the Bayes-adaptive one (see `econzoo.envs.families.offers.pool_response`, which is exact
and faster for strategies that only depend on the round).

Opponents that draw are copied with several seeds. The policy is chosen on one half of the copies and its value is what
it earns against the other half, so that nothing is gained by fitting noise. Their offers are observed in steps of
`BLUR`.

In short matches the candidates are all sequences of offers of a grid (`Tree.is_full`), otherwise some of them
(`Tree.next_offers`). So every value is a lower bound; against deterministic opponents, and with all sequences, it is
the exact value of the game in which own offers are on the grid.

The policy knows the setting with its private and hidden parts, and makes no plans beyond `econzoo.baselines.offers.FAR`
rounds.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from econzoo.baselines import Player, player
from econzoo.baselines.offers import FAR, Planner
from econzoo.envs.core.contract import DONE, Event, Game, Invalid
from econzoo.envs.core.faces import InformationState, StructuredFace
from econzoo.evaluate.run import Setting
from econzoo.wrappers import SeatInfo

GRID, FINE = 21, 101
"""Own offers, in equal steps of gain; the finer ones where only one offer can be made."""

EXTREME = 3.0
"""Multiple of the highest offer."""

FULL = 1000
"""Most sequences of own offers that are all tried."""

BLUR = 0.05
"""Steps of the gain in which offers of opponents that draw are told apart."""

LEAST = 4
"""Fewest copies of the first half in a group."""

COPIES = 8
"""Copies in each half of an opponent that draws, if it is the only one."""

SHARED_COPIES = 4
"""Copies in each half of each opponent that draws, if it is one of several."""

Halves: TypeAlias = Any
"""Array of the gains in the half by which the policy is chosen, and in the other one."""


class Line(NamedTuple):
    """A match with a copy of an opponent, up to an own move or the end.

    Attributes:
        weight: Weight of the copy in both halves.
        replies: Moves of the opponent since the last own one.
    """

    player: Player
    weight: Halves
    state: Any
    events: tuple[Event, ...] = ()
    replies: tuple[Any, ...] = ()


class Tree:
    """Policies of a seat in a setting.

    Args:
        params: Of the rules.
        grid: Number of own offers; None: see `GRID`.
    """

    def __init__(self, game: Game, params: Any, seat: int, grid: int | None = None) -> None:
        self.game, self.params, self.seat, self.rules = game, params, seat, game.rules
        self.actions = game.actions_of(params)
        self.start = self.rules.initial(params)
        self.face = StructuredFace(game, self.rules.legal_moves(params, self.start, seat))
        rounds = min(params.horizon, FAR)
        own = sum(self.is_own_round(round) for round in range(1, rounds + 1))
        known = params._replace(complete_information=True)
        seen = self.face.observe(self._information(known, self.start, seat, ()))
        planner: Any = player("plan", game.name)
        found = planner.offers(seen, np.ones(1))
        count = min(grid or (FINE if own <= 1 else GRID), len(found.amounts))
        places = np.unique(np.linspace(0, len(found.amounts) - 1, count).round().astype(int))
        self.offers = [planner.make_offer(seen, found.amounts[place]) for place in places]
        # An opening far out of reach, for opponents who reward concessions, if it is legal.
        extreme = planner.make_offer(seen, found.amounts[-1] * EXTREME)
        if not isinstance(self.actions.parse(extreme, self.rules.legal_moves(params, self.start, 0)), Invalid):
            self.offers.append(extreme)
        self.is_full = len(self.offers) ** own <= FULL

    def is_own_round(self, round: int) -> bool:
        """Whether the seat makes the offer of a round."""
        return round % 2 == (self.seat + 1) % 2

    # Play

    def _information(self, params: Any, state: Any, seat: int, events: tuple[Event, ...]) -> InformationState:
        legal = self.rules.legal_moves(params, state, seat)
        return InformationState(self.rules.observe(params, state, seat), legal, events, None)

    def copies(self, spec: str, count: int, weight: float) -> list[Line]:
        """Return the matches with an opponent at their start, of equal weights that sum to `weight` in each half.

        Args:
            count: Copies in each half of an opponent that draws; one that does not is the same in both.
        """
        other, found = 1 - self.seat, list[Line]()
        info = SeatInfo(self.game, 2, self.rules.observe(self.params, self.start, other), 0)
        known: Any = player(spec, self.game.name)
        seeds = range(1) if known.deterministic else range(2 * count)
        for seed in seeds:
            copied = known.fork()
            copied.reset(other, info, seed)
            halves = np.ones(2) if known.deterministic else np.eye(2)[seed % 2] / count
            found.append(self._reply(Line(copied, weight * halves, self.start)))
        return found

    def play(self, line: Line, action: dict[str, Any]) -> Line:
        """Return the match after an own move and the replies."""
        return self._reply(self._apply(line._replace(replies=()), self.seat, action))

    def _apply(self, line: Line, seat: int, answer: Any) -> Line:
        typed = self.actions.parse(answer, self.rules.legal_moves(self.params, line.state, seat))
        if isinstance(typed, Invalid):
            raise ValueError(f"{line.player.spec}: invalid move {answer}: {typed}")
        event = Event(seat, line.state.round, typed, moment=len(line.events) + 1)
        state = self.rules.apply(self.params, line.state, (self.actions.move(typed),))
        return line._replace(state=state, events=(*line.events, event))

    def _reply(self, line: Line) -> Line:
        while self.rules.to_act(self.params, line.state) == 1 - self.seat:
            seen = self._information(self.params, line.state, 1 - self.seat, line.events)
            acting = line.player.fork()
            answer = acting.act(self.face.observe(seen), self.face.info(seen.legal))
            line = self._apply(line._replace(player=acting), 1 - self.seat, answer)
            line = line._replace(replies=(*line.replies, self.actions.move(line.events[-1].action)))
        return line

    def gain(self, line: Line) -> float:
        assert self.rules.gains is not None  # all games with families compile their rewards
        return float(self.rules.gains(self.params, line.state)[self.seat])

    # Search

    def next_offers(self, made: tuple[int, ...]) -> Iterable[int]:
        """Return the indices of the offers to try next.

        Without all sequences: constant ones, falling ones with a constant step, and those that hold the highest or the
        middle offer for a while and then any other.
        """
        held = [(len(self.offers) - 1) // 2, len(self.offers) - 1]
        if self.is_full or not made or (made[0] in held and len({*made}) == 1):
            # Offers that are held have the most sequences: they come last, when most of these are known to be worse.
            return [*(place for place in reversed(range(len(self.offers))) if place not in held), *dict.fromkeys(held)]
        if made[0] in held:
            return (made[-1],)
        if len(made) == 1:
            return [made[0] - step for step in range(min(made[0], 2) + 1)]
        return (max(2 * made[-1] - made[-2], 0),)

    def solve(self, lines: Sequence[Line], made: tuple[int, ...] = (), least: float = 0.0) -> Halves:
        """Return the value of the best policy from an own move on, as a sum over the matches in each half.

        Args:
            lines: Matches that the seat cannot tell apart.
            made: Indices of its offers so far.
            least: Where no policy is worth more in the first half, a lower bound is returned.
        """
        best, state = np.zeros(2), lines[0].state
        names = self.face.names(self.rules.legal_moves(self.params, state, self.seat))
        for kind in ("accept", "reject"):
            if kind in names:
                best = max(best, self._follow(lines, {"kind": kind}, made, max(best[0], least)), key=_first)
        if "offer" in names and state.round <= FAR:
            # Nothing later can be worth more than the highest offer, accepted now.
            offered = self._apply(lines[0]._replace(events=()), self.seat, self.offers[-1])
            most = self.gain(self._apply(offered, 1 - self.seat, {"kind": "accept"}))
            for place in self.next_offers(made):
                found = self._follow(lines, self.offers[place], (*made, place), max(best[0], least), most)
                best = max(best, found, key=_first)
        return best

    def _follow(
        self, lines: Sequence[Line], action: dict[str, Any], made: tuple[int, ...], least: float, most: float = math.inf
    ) -> Halves:
        """Return the value of a move with the best policy after it (see `solve`).

        Args:
            most: Bound of the gain in any of the matches.
        """
        value, going = np.zeros(2), list[Line]()
        for line in lines:
            after = self.play(line, action)
            if self.rules.to_act(self.params, after.state) == DONE:
                value += after.weight * self.gain(after)
            else:
                going.append(after)
        groups = self.groups(going)
        weights = [sum(line.weight[0] for line in group) for group in groups]
        bounds = [most * weight if weight else 0.0 for weight in weights]
        for place, group in enumerate(groups):
            others = sum(bounds[place + 1 :])
            if value[0] + bounds[place] + others <= least:
                break
            value += self.solve(group, made, max(least - value[0] - others, 0.0))
        return value

    def groups(self, lines: Sequence[Line]) -> list[list[Line]]:
        """Group matches by what the seat observed; with opponents that draw, by similar offers (see `LEAST`)."""
        apart: dict[Any, list[Line]] = defaultdict(list)
        for line in lines:
            apart[line.replies].append(line)
        if all(line.weight[0] == line.weight[1] for line in lines):
            return [*apart.values()]
        apart.clear()
        for line in lines:
            apart[self.face.names(self.rules.legal_moves(self.params, line.state, self.seat))].append(line)
        return [group for names, own in apart.items() for group in (self._similar(own) if "accept" in names else [own])]

    def _similar(self, lines: Sequence[Line]) -> list[list[Line]]:
        """Group matches with an open offer by steps of its gain."""
        steps: dict[int, list[Line]] = defaultdict(list)
        for line in lines:
            steps[round(self.gain(self._apply(line, self.seat, {"kind": "accept"})) / BLUR)].append(line)
        groups: list[list[Line]] = [[]]
        for step in sorted(steps):
            if sum(line.weight[0] > 0.0 for line in groups[-1]) >= LEAST:
                groups.append([])
            groups[-1] += steps[step]
        last = groups[-1]
        if len(groups) > 1 and sum(line.weight[0] > 0.0 for line in last) < LEAST:
            groups[-2:] = [groups[-2] + last]
        return groups


def _first(value: Halves) -> float:
    return float(value[0])


def value(tree: Tree, specs: Mapping[str, float], copies: int) -> float:
    """Return what the best policy earns against opponents with these probabilities.

    Args:
        copies: Of each in each half, if it draws.
    """
    lines = [line for spec, weight in specs.items() for line in tree.copies(spec, copies, weight)]
    return float(sum(tree.solve(group)[1] for group in tree.groups(lines)))


class FamilyValues(NamedTuple):
    """What can be earned against families, as means over settings and seats.

    Attributes:
        informed: Gain of best responses to each member, by family.
        bayes_adaptive: Gain of one policy that knows that families, and the members of each, are equally likely.
        are_exact: Whether these are exact but for the grid of own offers.
    """

    informed: dict[str, float]
    bayes_adaptive: float
    are_exact: bool


def can_search(game: Game) -> bool:
    """Whether the game has candidates for own offers."""
    try:
        return isinstance(player("plan", game.name), Planner)
    except ValueError:
        return False


def search_families(
    game: Game, families: Mapping[str, Sequence[str]], settings: Sequence[Setting], copies: int = COPIES
) -> FamilyValues:
    """Search best responses to the members of families and to all of them together."""
    trees = [Tree(game, game.params(**one.params)[1], seat) for one in settings for seat in (0, 1)]
    informed = {
        family: fmean(value(tree, {spec: 1.0}, copies) for tree in trees for spec in members)
        for family, members in families.items()
    }
    weights: dict[str, float] = defaultdict(float)
    for members in families.values():
        for spec in members:
            weights[spec] += 1.0 / (len(families) * len(members))
    adaptive = fmean(value(tree, weights, min(copies, SHARED_COPIES)) for tree in trees)
    known: list[Any] = [player(spec, game.name) for spec in weights]
    exact = all(tree.is_full for tree in trees) and all(one.deterministic for one in known)
    return FamilyValues(informed, adaptive, exact)
