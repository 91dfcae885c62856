"""Players that keep a posterior over strategies and plan anew at every decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from econzoo.baselines import ObservationDict, Player, SeatInfo, argument, player
from econzoo.baselines.offers import planning
from econzoo.baselines.offers import productions as p
from econzoo.baselines.offers.generated import FAMILIES, GIVE_IN_PROBABILITY, sample_numbers
from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.offers.planning import Array
from econzoo.baselines.offers.policy_rollouts import Opponents, PolicyRollouts
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.core.vector import FunctionCompiler
from econzoo.envs.families.offers import Memory

TRAINED_NUMBERS = 900_000
"""Strategies of the grammar below this number are for training, and in the prior."""

FAR = 20
"""Rounds of a plan; an unknown last round is assumed to be that far."""

LEVEL_SHARE = 0.1
"""Prior probability of level-k opponents."""

SPREAD, FAIR_SPREAD, LEVEL_SPREADS = 0.03, 0.04, (0.25, 0.06, 0.06, 0.06, 0.03)
"""Spreads of demands and thresholds: of the grammar, of the fair-minded, of levels 0 to 3, and of the equilibrium."""

LEVEL_NOISE = 0.05
"""Logistic scale of the acceptance thresholds that a level-k reasoner expects."""

SLIP = 0.15
"""Probability that a demand or answer is unlike the strategy."""

EVEN = 0.5
"""An equal division, in shares."""

COMPARED = 20
"""Offers to compare first, in equal steps; then those around the best."""

LIKELY, BEST = 4, 8
"""Offers after which a policy plays on: its likeliest ones, and those of the highest values."""

BLUR, DOUBT = 0.06, 0.1
"""What a plan expects to tell opponents apart by: the difference of offers, and the weight of those unlike."""


class Outlook(NamedTuple):
    """What is expected of strangers: chosen on authors that were open, and by game.

    Attributes:
        fair, touchy: Prior probabilities of fair-minded opponents: those who forget low offers, and those who do not.
        gives_in: Probability that an opponent of the grammar takes anything in a known last round.
        lead: What another offer or refusal must be worth more than an equal division to be preferred, as a share.
    """

    fair: float
    touchy: float
    gives_in: float
    lead: float = 0.0


class Prior(NamedTuple):
    """Strategies with what is believed of them before a match.

    Attributes:
        strategies: Rows of numbers; shape (strategies, numbers).
        spreads, slips: See `planning.update_beliefs`; shape (strategies,).
        weights: Log prior probabilities; shape (strategies,).
    """

    strategies: Array
    spreads: Array
    slips: Array
    weights: Array


class Frame(NamedTuple):
    """A decision in shares; see `planning` for what opponents keep, leave and are given.

    Attributes:
        round: Round of the seat's next offer.
        last: Last round with an offer.
        horizon: Horizon as strategies see it, or UNKNOWN.
        ahead: See `planning`.
        deltas: Discount factors per round of this seat and of the opponent.
        offered: Gain from the opponent's open offer, or UNKNOWN.
        rounds, is_own, shares: Earlier offers: see `planning.update_beliefs`.
        classes: Log probabilities of the opponent's classes, given the earlier offers alone.
    """

    round: int
    last: int
    horizon: float
    ahead: int
    deltas: tuple[float, float]
    offered: float
    rounds: Array
    is_own: Array
    shares: Array
    classes: Array
    kept: Array
    left: Array
    stepwise: bool


class Offers(NamedTuple):
    """Offers that the seat compares, by ascending gain.

    Attributes:
        amounts: What makes a move of each; shape (offers, ...).
        gains: Gain of each; shape (offers,).
        given: The opponent's share of each; shape (classes, offers).
    """

    amounts: Array
    gains: Array
    given: Array


class Belief(NamedTuple):
    """Posterior over strategies and classes.

    Attributes:
        weights: Probabilities of shape (strategies, classes).
        pasts, owns, pressed: See `planning.update_beliefs`.
    """

    weights: Array
    pasts: Array
    owns: Array
    pressed: Array


class Plans(NamedTuple):
    """Offers and smallest accepted gains by round.

    Attributes:
        offers: Indices of offers, integers of shape (plans, rounds).
        least: Shape (plans, rounds).
    """

    offers: Array
    least: Array


class Effort(NamedTuple):
    """Work of a decision, a function of the argument and not of the clock, so that matches replay.

    Attributes:
        strategies: Pairs of a strategy and a class in the prior.
        samples: Opponents sampled from the posterior.
    """

    strategies: int
    samples: int


def effort_of(seconds: float) -> Effort:
    """Return the work that about takes this long, by measurement on one core of 2.5 GHz."""
    return Effort(round(min(max(40_000 * seconds, 200), 40_000)), round(min(max(1_000 * seconds, 16), 1_000)))


KERNELS = (planning.update_beliefs, planning.evaluate_offers, planning.answer_offers)


@cache
def compiled_kernels() -> dict[str, Callable[..., Any]]:
    """Return the compiled functions of `planning` by name."""
    compiled = FunctionCompiler("plan").compile_kernels(KERNELS)
    return {kernel.__name__: one for kernel, one in zip(KERNELS, compiled, strict=True)}


def fair_numbers(number: int) -> tuple[float, ...]:
    """Sample a fair-minded strategy: it insists on about half, concedes to half, or responds around half."""
    rng = np.random.default_rng([number, 71])
    own = [0.0] * p.SIZE
    least = rng.uniform(0.35, 0.5)
    own[p.DEMAND] = (p.FIRM, p.FIRM, p.CLOCK, p.TOWARDS, p.RECIPROCAL)[number % 5]
    own[p.HIGH] = rng.uniform(0.48, 0.56) if own[p.DEMAND] == p.FIRM else rng.uniform(0.5, 0.75)
    own[p.LOW] = own[p.HIGH] if own[p.DEMAND] == p.FIRM else rng.uniform(max(least, 0.4), 0.5)
    own[p.RATE] = {float(p.CLOCK): math.exp(rng.uniform(-2.0, 1.5))}.get(own[p.DEMAND], rng.uniform(0.2, 1.0))
    own[p.DOWN], own[p.RECALL] = float(rng.integers(2)), float(rng.integers(3))
    own[p.TAKE], own[p.LEAST] = (p.CONSTANT, p.EITHER)[number % 2], least
    own[p.SCRAPS] = float(rng.random() < 0.1)
    return float(number), p.NEVER, 0.0, 0.0, *own, *own


def touchy_numbers(number: int) -> tuple[float, ...]:
    """Sample a fair-minded strategy that asks for more, and takes less readily, after an offer that it finds low."""
    rng = np.random.default_rng([number, 72])
    own = [0.0] * p.SIZE
    own[p.DEMAND], own[p.TAKE], own[p.FORGIVES] = p.GRUDGE, p.UNLESS_WRONGED, float(rng.integers(4))
    own[p.LEAST], own[p.OPENING] = rng.uniform(0.3, 0.47), rng.uniform(0.48, 0.6)
    own[p.HIGH] = rng.uniform(own[p.OPENING], 0.9)
    own[p.MARGIN] = rng.uniform(own[p.LEAST], max(own[p.HIGH] - 0.05, own[p.LEAST]))
    return float(number), p.NEVER, 0.0, 0.0, *own, *own


def level_numbers(level: int) -> tuple[float, ...]:
    own = [0.0] * p.SIZE
    own[p.DEMAND], own[p.RATE] = planning.LEVEL, float(level)
    return 0.0, p.NEVER, 0.0, 0.0, *own, *own


@cache
def make_prior(count: int, outlook: Outlook, families: Sequence[str] = FAMILIES) -> Prior:
    """Return a prior with about this many strategies: the grammar's, fair-minded ones, and levels of reasoning."""
    rng, fair, touchy = np.random.default_rng(71), round(count * outlook.fair), round(count * outlook.touchy)
    known = max(count - fair - touchy - len(LEVEL_SPREADS), len(families))
    numbers = [sample_numbers(families[i % len(families)], int(rng.integers(TRAINED_NUMBERS))) for i in range(known)]
    grammar = np.array(numbers)
    # The grammar has more of those who give in than there are people who do.
    proud = rng.random(known) >= outlook.gives_in / GIVE_IN_PROBABILITY
    grammar[proud, p.HEAD + p.SCRAPS] = grammar[proud, p.HEAD + p.SIZE + p.SCRAPS] = 0.0
    others = [*map(fair_numbers, range(fair)), *map(touchy_numbers, range(touchy))]
    others += map(level_numbers, range(planning.LEVELS + 1))
    sizes = (known, fair, touchy, len(LEVEL_SPREADS))
    shares = (1.0 - outlook.fair - outlook.touchy - LEVEL_SHARE, outlook.fair, outlook.touchy, LEVEL_SHARE)
    weights = np.concatenate([np.full(n, math.log(share / n)) for n, share in zip(sizes, shares, strict=True)])
    spreads = np.concatenate([np.full(known, SPREAD), np.full(fair + touchy, FAIR_SPREAD), LEVEL_SPREADS])
    return Prior(np.concatenate([grammar, others]), spreads, np.full(len(weights), SLIP), weights)


@cache
def plan_curves() -> Array:
    """Return the plans after the next two offers: first and last demand, concession exponent, margin of acceptance."""
    firsts = np.arange(0.35, 0.96, 0.06)
    flat, patient = [(a, a, 1.0, 0.0) for a in firsts], [(a, a, 1.0, 0.12) for a in firsts[::2]]
    return np.array([*flat, *patient, *((a, max(a - 0.25, 0.2), 1.0, 0.03) for a in firsts[2:])])


class Planner(Haggler):
    """Keeps a posterior over strategies and best responds to it, planning anew at every decision.

    The prior has strategies of the grammar, fair-minded ones that insist on about half or respond around it, some of
    them touchy about low offers, and noisy reasoners of levels 0 to 3 (Nagel 1995) besides the equilibrium; all are
    weighed by what they would have demanded and refused. An offer is worth what it earns if the seat updates its belief
    on the next offer of the opponent, and then accepts that or follows the best of a set of plans (concession curves
    with a margin of acceptance): one step of exact expectation over a sample of the posterior, then roll-outs.

    The work of a decision is a function of ``seconds``, not of the clock (see `effort_of`), so that matches replay. The
    first decision of a process compiles or loads the plan's functions.

    An equal division is offered and accepted unless something else is worth more by the `Outlook`'s lead: the value of
    other moves is a maximum over uncertain values, and is paid in the trust of those who insist on half.

    A subclass defines the game in shares (`frame`, `offers`), the conversion of an offer to a move, and the outlook.

    Source: Kalai and Lehrer (1993), Rational learning leads to Nash equilibrium, Econometrica 61(5), 1019-1045;
    roll-outs: Bertsekas and Castanon (1999), Rollout algorithms for stochastic scheduling problems, Journal of
    Heuristics 5, 89-108; levels: Nagel (1995), Unraveling in guessing games, American Economic Review 85(5), 1313-1326.

    Args:
        seconds: Seconds per move, about; above 0, at most 60.
        policy: Folder or file of a trained policy, which plays on in roll-outs; None: plans alone.
    """

    memory: Memory = "history"
    memory_length: ClassVar[int] = 10_000
    families: Sequence[str] = FAMILIES
    outlook: ClassVar[Outlook]
    security = 0.0
    """Least gain that it takes."""

    def __init__(self, spec: str = "plan", seconds: Any = 0.03, policy: Any = None) -> None:
        super().__init__(spec)
        self.lead = self.outlook.lead
        self.effort = effort_of(argument(spec, "seconds", seconds, 0.0, 60.0, open_low=True))
        self.policy: Any = None if policy is None else player(f"ppo:{policy}")
        self.libraries = self.policy.libraries if self.policy else ()
        self._latest: tuple[str, tuple[dict[str, Any], float]] = "", ({}, 0.0)

    def fork(self) -> Player:
        """Return a copy for a concurrent match, with a policy of its own, which remembers the match."""
        copied: Any = super().fork()
        copied.policy = self.policy and self.policy.fork()
        return copied  # type: ignore[no-any-return]

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        super().reset(seat, info, seed)
        if self.policy is not None:
            self.policy.reset(seat, info, seed)
            self.rollouts = PolicyRollouts(self.policy)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return an offer, with a message if allowed, or a response."""
        if self.policy is not None:
            self.rollouts.observe(observation, info)
        return super().act(observation, info)

    def imagine(self, v: Any, round: int, own: float, met: float, responds: bool) -> Any:
        """Return the view of a later decision (see `econzoo.baselines.offers.policy_rollouts.Imagine`)."""
        raise NotImplementedError

    def policy_gains(self, v: Any, fractions: Array) -> Array:
        """Return the gains of amounts, as fractions of the range of the numeric face."""
        raise NotImplementedError

    def frame(self, seen: ObservationDict) -> Frame:
        """Return the decision in shares."""
        raise NotImplementedError

    def offers(self, seen: ObservationDict, classes: Array) -> Offers:
        """Return the offers to compare, given the probabilities of the opponent's classes."""
        raise NotImplementedError

    def make_offer(self, seen: ObservationDict, amount: Any) -> dict[str, Any]:
        """Return the move of an offer."""
        raise NotImplementedError

    @property
    def script(self) -> None:
        """None: it does not compile."""

    def prior(self, classes: int) -> Prior:
        """Return the prior for a number of classes."""
        return make_prior(max(self.effort.strategies // classes, 200), self.outlook, tuple(self.families))

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Return an offer, or a response to the open one."""
        frame, responds = self.frame(seen), "accept" in seen["legal_actions"]
        takes = frame.offered > 0.0 and frame.offered >= self.security - 1e-9
        if frame.round > frame.last:
            return {"kind": "accept" if takes else self.refusal}
        offer, value = self.best_offer(seen, frame)
        lead = self.lead if frame.offered >= EVEN - 1e-9 else 0.0
        if responds and takes and frame.offered >= frame.deltas[0] * value - lead - 1e-9:
            return {"kind": "accept"}
        if "offer" in seen["legal_actions"]:
            return offer
        return {"kind": self.refusal}

    refusal: ClassVar[str] = "reject"

    def best_offer(self, seen: ObservationDict, frame: Frame) -> tuple[dict[str, Any], float]:
        """Return the best next offer, and its value in the round in which it is made."""
        # A refusal and the offer that follows it ask for the same.
        asked = repr((frame.round, frame.last, frame.deltas, frame.shares.tolist(), frame.left.tolist()))
        if self._latest[0] != asked:
            prior = self.prior(frame.shares.shape[1])
            belief = believe(frame, prior)
            offers = self.offers(seen, belief.weights.sum(axis=0))
            values = self.evaluate(frame, prior, belief, offers)
            if self.policy is not None:
                self.follow_policy(seen, frame, prior, belief, offers, values)
            best = int(values.argmax())
            even = int(np.searchsorted(offers.gains, EVEN - 1e-9).clip(0, len(values) - 1))
            if self.lead > 0.0 and values[even] >= values[best] - self.lead:
                best = even
            self._latest = asked, (self.make_offer(seen, offers.amounts[best]), float(values[best]))
        return self._latest[1]

    def follow_policy(
        self, seen: ObservationDict, frame: Frame, prior: Prior, belief: Belief, offers: Offers, values: Array
    ) -> None:
        """Raise the values of the best and of the policy's likeliest offers to what they earn if it plays on."""
        rollouts, v = self.rollouts, self.view(seen)
        imagine = partial(self.imagine, v)
        places = np.abs(offers.gains - self.policy_gains(v, rollouts.fractions)[:, None]).argmin(axis=1)
        likely = np.unique(places[rollouts.likeliest(imagine, frame.round, frame.offered, LIKELY)])
        asked, samples = likely[values[likely] == -math.inf], self.effort.samples
        if len(asked):
            plans = make_plans(frame, offers, self.security)
            values[asked] = evaluate_offers(frame, prior, belief, offers, plans, asked, samples)
        asked = np.union1d(likely, np.argsort(-values, kind="stable")[:BEST])
        n, c, offsets = (np.tile(one, len(asked)) for one in sample_opponents(prior, belief, max(samples // 2, 8)))
        opponents = Opponents(prior.strategies[n], c, offsets, belief.pasts[n, c], belief.owns[n, c])

        def answer(them: Opponents, round: int, made: Array) -> Array:
            met = np.zeros(len(made))
            compiled_kernels()["answer_offers"](
                *them, levels_of(frame), frame.left, frame.stepwise, frame.horizon, frame.ahead, round,
                offers.given[them.classes, made], met,
            )  # fmt: skip
            return met

        first = np.repeat(asked, len(n) // len(asked))
        earned = rollouts.play(
            imagine, answer, opponents, first, places, offers.gains, frame.offered, frame.round, frame.last,
            frame.deltas[0],
        )  # fmt: skip
        earned = earned.reshape(len(asked), -1).mean(axis=1)
        values[asked] = np.maximum(values[asked], earned)

    def evaluate(self, frame: Frame, prior: Prior, belief: Belief, offers: Offers) -> Array:
        """Return the value of each offer; -inf for those not compared."""
        plans, values = make_plans(frame, offers, self.security), np.full(len(offers.gains), -math.inf)
        step = max(len(values) // COMPARED, 1)
        asked = np.arange(0, len(values), step)
        for _ in range(2 if step > 1 else 1):  # then those around the best
            values[asked] = evaluate_offers(frame, prior, belief, offers, plans, asked, self.effort.samples)
            best = int(values.argmax())
            asked = np.array([a for a in range(best - step + 1, best + step) if a != best and 0 <= a < len(values)])
        return values


def frame_history(
    seen: ObservationDict, share: Callable[[Any], Sequence[float]], classes: int = 1
) -> tuple[Array, Array, Array]:
    """Return the rounds, makers and shares of the offers so far (see `Frame`).

    Args:
        share: Returns the opponent's share of an offer, by class.
    """
    moves = [move for move in seen["history"] if move["kind"] == "offer"]
    is_own = np.array([move["seat"] == seen["seat"] for move in moves], bool)
    shares = np.array([share(move) for move in moves], float).reshape(len(moves), classes)
    return np.array([move["round"] for move in moves], np.int64), is_own, shares


def linear_tables(stakes: Array, assumed: Array) -> tuple[Array, Array]:
    """Return what an opponent keeps and leaves of a divisible stake (see `planning`).

    Args:
        stakes: What there is to gain, in this seat's units, by class.
        assumed: What the opponent assumes it to be, of which its demands are shares.
    """
    return np.tile([0.0, 1.0], (len(stakes), 1)), np.stack([stakes, stakes - assumed], axis=1)


@lru_cache(maxsize=256)
def level_table(last: int, is_endless: bool, first_is_own: bool, deltas: tuple[float, float]) -> Array:
    """Return demands and thresholds of level-k opponents, then of the equilibrium: shape (levels, last + 2, 2).

    Level 0 is random, and level k best responds to level k - 1 with logistic noise in its thresholds.

    Args:
        last: Last round with an offer.
        is_endless: Whether that is an assumption, after which both expect half.
        first_is_own: Whether this seat offers in round 1.
        deltas: Discount factors of this seat and of the opponent.
    """
    asked = np.linspace(0.0, 1.0, 51)
    # By level, round, and player: this seat, the opponent.
    demands, least = np.full((2, planning.LEVELS + 1, last + 2, 2), 0.5)
    for level in range(1, planning.LEVELS + 1):
        # Continuation values of the next round's proposer and responder.
        offering = answering = 0.5 * is_endless
        for round in range(last, 0, -1):
            proposer = int((round % 2 == 1) != first_is_own)
            responder = 1 - proposer
            wait, met = deltas[responder] * offering, 1.0 - demands[level - 1, round, proposer]
            least[level, round, responder] = wait
            if level == planning.LEVELS:
                demands[level, round, proposer], offering, answering = 1.0 - wait, 1.0 - wait, wait
                continue
            noisy = 1.0 / (1.0 + np.exp((least[level - 1, round, responder] - 1.0 + asked) / LEVEL_NOISE))
            chance = 1.0 - asked if level == 1 else noisy
            worth = chance * asked + (1.0 - chance) * deltas[proposer] * answering
            demands[level, round, proposer], offering = asked[worth.argmax()], worth.max()
            answering = max(met, wait) if level > 1 else (1.0 + wait * wait) / 2.0
    return np.stack([demands[:, :, 1], least[:, :, 1]], axis=2)


def levels_of(frame: Frame) -> Array:
    return level_table(frame.last, frame.horizon == UNKNOWN, frame.round % 2 == 1, frame.deltas)


def believe(frame: Frame, prior: Prior) -> Belief:
    """Update the prior by Bayes' rule on the offers and answers so far."""
    shape = len(prior.strategies), frame.shares.shape[1]
    fits, owns, pressed = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    pasts = np.tile(np.array(p.BLANK), (*shape, 1))
    compiled_kernels()["update_beliefs"](
        prior.strategies, prior.spreads, prior.slips, levels_of(frame), frame.kept, frame.stepwise, frame.horizon,
        frame.ahead, frame.rounds, frame.is_own, frame.shares, fits, pasts, owns, pressed,
    )  # fmt: skip
    logs = fits + prior.weights[:, None] + frame.classes
    weights = np.exp(logs - logs.max())
    return Belief(weights / weights.sum(), pasts, owns, pressed)


def make_plans(frame: Frame, offers: Offers, security: float) -> Plans:
    """Return the plans to follow after the next two offers, none of which takes less than the security."""
    first, last, exponent, margin = plan_curves().T[:, :, None]
    rounds = min(FAR, max(frame.last - frame.round - 1, 1))
    passed = np.arange(rounds) / max(rounds - 1, 1)
    demands = (first - (first - last) * passed**exponent) * offers.gains[-1]
    places = np.searchsorted(offers.gains, demands - 1e-9).clip(0, len(offers.gains) - 1)
    return Plans(places, np.maximum(demands - margin * offers.gains[-1], security))


def evaluate_offers(
    frame: Frame, prior: Prior, belief: Belief, offers: Offers, plans: Plans, asked: Array, samples: int
) -> Array:
    """Return the expected value of offers against a sample of the posterior."""
    n, c, offsets = sample_opponents(prior, belief, samples)
    return compiled_kernels()["evaluate_offers"](
        asked, prior.strategies[n], c, offsets, belief.pasts[n, c], belief.owns[n, c], levels_of(frame), frame.kept,
        frame.left, offers.given, frame.stepwise, offers.gains, frame.horizon, frame.ahead, frame.deltas[0],
        frame.round, frame.last, plans.offers, plans.least, BLUR, DOUBT,
    )  # fmt: skip


def sample_opponents(prior: Prior, belief: Belief, samples: int) -> tuple[Array, Array, Array]:
    """Return strategies, classes and threshold offsets of a sample of the posterior."""
    shares = np.cumsum(belief.weights.ravel())
    picks = np.searchsorted(shares, (np.arange(samples) + 0.5) / samples).clip(0, len(shares) - 1)
    n, c = np.divmod(picks, belief.weights.shape[1])
    # Thresholds above the best refused offer, by low-discrepancy quantiles.
    refused = 1.0 / (1.0 + np.exp(-belief.pressed[n, c].clip(-planning.CERTAIN, 2.0)))
    drawn = refused + (1.0 - refused) * ((np.arange(samples) * 0.6180339887498949 + 0.5) % 1.0)
    offsets = prior.spreads[n] * np.log(drawn / (1.0 - drawn)).clip(-5.0, 5.0)
    return n, c, offsets
