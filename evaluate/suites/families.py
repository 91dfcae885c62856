"""Players against families of opponents: gains by family, and paired differences over families and over settings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import FAMILIES, HELD_OUT_FAMILIES, candidates, group_by_family
from econzoo.baselines import families as families_of
from econzoo.baselines import player as make_player
from econzoo.envs.core import escape_name, format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import to_plain
from econzoo.evaluate.analyses.ceilings import can_search, search_families
from econzoo.evaluate.analyses.learning import Training, trainings
from econzoo.evaluate.run import Design
from econzoo.evaluate.show import NOTHING, TEXT, Column, Row, Table
from econzoo.evaluate.stats import CONFIDENCE, Interval, mean_of_draws, p_value_of_mean
from econzoo.evaluate.suites.ceiling import gains_of
from econzoo.evaluate.suites.evaluation import evaluation_design, play_evaluation

FAIR = {"bargaining": "fair", "negotiation": "fixed-price(0.5)", "multi_issue": "fair"}
"""Scripts that share evenly."""

PLACEHOLDER = "{family}"
"""Stands for a family's name in the spec of a policy that was trained without it."""

SEEDS = 1
"""Default seeds per line-up and setting: families have several members."""

NOTE = (
    "Mean gains over all members, settings and seats; a family counts once, whatever its size. Best script: of all, in "
    "these matches, which flatters it; best here: against this family."
)
CEILINGS_NOTE = (
    "Informed: best responses to the very strategies. Bayes-adaptive: the best policy that knows only that families "
    "are equally likely. Both know the setting with its private parts, and are {} with own offers on a grid."
)
DIFFERENCES_NOTE = (
    "Paired differences in the same settings. Intervals (95%, Student's t) are over families and over settings, each "
    "for the other as it is. Holm: both intervals exclude 0 after Holm's correction over the rows of means."
)


class Against(NamedTuple):
    """Gains in the matches with one family.

    Attributes:
        trainings: Players, and the seeds of trainings.
        gains: Mean gain by setting of each of their specs and of each script; shape (settings,).
    """

    trainings: list[Training]
    gains: dict[str, np.ndarray]


class Gap(NamedTuple):
    """Paired difference of a player, or of one seed of a training, to a script.

    Attributes:
        gain: Mean gain over families and settings.
        over_families, over_settings: Mean difference with its intervals.
        lowest: Family with the smallest difference, and that difference.
        distinct: Whether both intervals exclude 0 after Holm's correction; None: a seed.
    """

    player: str
    script: str
    gain: float
    over_families: Interval
    over_settings: Interval
    lowest: tuple[str, float]
    distinct: bool | None


@dataclass(frozen=True)
class FamilyTable:
    """Gains by family.

    Attributes:
        players: Names; trainings are means over their seeds.
        learned: Gains of each, shape (seeds, families, settings).
        seeds: Names of the seeds of each.
        scripts: Specs.
        by_script: Their gains, shape (scripts, families, settings).
        informed: Best-response value by family; empty: not computed.
        bayes_adaptive: Value of the best policy that knows the families only.
    """

    game: str
    families: list[str]
    players: list[str]
    learned: list[np.ndarray]
    seeds: list[list[str]]
    scripts: list[str]
    by_script: np.ndarray
    informed: Mapping[str, float] = field(default_factory=dict)
    bayes_adaptive: float | None = None
    ceilings_are_exact: bool = False

    @property
    def references(self) -> list[str]:
        """The fair script, if the game has one, and the best script over all families."""
        best = self.scripts[int(self.by_script.mean(axis=(1, 2)).argmax())]
        fair = FAIR.get(self.game)
        return list(dict.fromkeys([*([fair] if fair in self.scripts else []), best]))

    def gaps(self) -> list[Gap]:
        """Return the differences of every player, and of its seeds, to the references."""
        rows, tests = list[Gap](), list[float]()
        for name, learned, seeds in zip(self.players, self.learned, self.seeds, strict=True):
            for script in self.references:
                other = self.by_script[self.scripts.index(script)]
                rows.append(self._gap(name, script, learned.mean(axis=0), other, False))
                apart = learned.mean(axis=0) - other
                tests.append(max(p_value_of_mean(apart.mean(axis=axis).tolist()) for axis in (0, 1)))
                if len(seeds) > 1:
                    rows += [
                        self._gap(f"{name}, {seed}", script, own, other, None)
                        for seed, own in zip(seeds, learned, strict=True)
                    ]
        distinct = iter(_holm(tests))
        return [row if row.distinct is None else row._replace(distinct=next(distinct)) for row in rows]

    def _gap(self, name: str, script: str, own: np.ndarray, other: np.ndarray, distinct: bool | None) -> Gap:
        by_family = (own - other).mean(axis=1)
        lowest = int(by_family.argmin())
        return Gap(
            name, script, float(own.mean()), mean_of_draws(by_family.tolist()),
            mean_of_draws((own - other).mean(axis=0).tolist()), (self.families[lowest], float(by_family[lowest])),
            distinct,
        )  # fmt: skip

    def tables(self) -> list[Table]:
        """Return the gains by family, and the differences."""
        return [self._gain_table(), self._gap_table()]

    def _gain_table(self) -> Table:
        shown = {name: own.mean(axis=(0, 2)) for name, own in zip(self.players, self.learned, strict=True)}
        means = self.by_script.mean(axis=2)
        shown |= {spec: means[self.scripts.index(spec)] for spec in self.references if spec not in shown}
        rows: list[Row] = []
        for at, family in enumerate(self.families):
            best = int(means[:, at].argmax())
            known = self.informed.get(family)
            rows.append([family, *(own[at] for own in shown.values()), self.scripts[best], means[best, at], known])
        total = np.mean([*self.informed.values()]) if self.informed else None
        rows.append(["mean", *(own.mean() for own in shown.values()), NOTHING, means.max(axis=0).mean(), total])
        columns = [Column("family", kind=TEXT), *(Column(name) for name in shown)]
        columns += [Column("best_here", kind=TEXT), Column("best_here_gain", "its gain"), Column("informed")]
        width, note = len(columns), NOTE
        if self.informed:
            rows.append(["Bayes-adaptive", *[None] * len(shown), NOTHING, None, self.bayes_adaptive])
            note += " " + CEILINGS_NOTE.format("exact" if self.ceilings_are_exact else "lower bounds")
        else:
            width -= 1
        title = f"{self.game}: gain by family, {format_count(self.by_script.shape[2], 'setting')}"
        return Table("families", title, columns[:width], [row[:width] for row in rows], note)

    def _gap_table(self) -> Table:
        columns = [
            Column("player", kind=TEXT),
            Column("gain"),
            Column("less", kind=TEXT),
            Column("over_families", signed=True, show_interval=True),
            Column("over_settings", signed=True, show_interval=True),
            Column("lowest_family", kind=TEXT),
            Column("lowest", signed=True),
            Column("distinct", "Holm"),
        ]
        rows = [
            [g.player, g.gain, g.script, g.over_families, g.over_settings, *g.lowest, g.distinct] for g in self.gaps()
        ]
        return Table("family_differences", f"{self.game}: differences", columns, rows, DIFFERENCES_NOTE)

    def to_plain(self) -> dict[str, Any]:
        """Return all numbers as plain values."""
        by_script = dict(zip(self.scripts, self.by_script.mean(axis=2).tolist(), strict=True))
        own = dict(zip(self.players, (one.mean(axis=2).tolist() for one in self.learned), strict=True))
        gaps = [
            gap._asdict() | {"over_families": gap.over_families._asdict(), "over_settings": gap.over_settings._asdict()}
            for gap in self.gaps()
        ]
        given = {"game": self.game, "families": self.families, "players": own, "scripts": by_script}
        ceilings = {"informed": dict(self.informed), "bayes_adaptive": self.bayes_adaptive}
        return {**given, **ceilings, "ceilings_are_exact": self.ceilings_are_exact, "differences": to_plain(gaps)}


def _holm(p_values: Sequence[float]) -> list[bool]:
    """Return which hypotheses Holm's step-down procedure rejects (Holm 1979)."""
    rejected = [False] * len(p_values)
    for done, at in enumerate(np.argsort(p_values, kind="stable")):
        if not p_values[at] <= (1 - CONFIDENCE) / (len(p_values) - done):
            break
        rejected[at] = True
    return rejected


def named_families(game: str, opponents: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the families among some opponents, and single players as families of one; by default the held-out ones."""
    held_out = families_of(game, HELD_OUT_FAMILIES)
    found = group_by_family(game, [*opponents] or ([FAMILIES] if held_out else []), HELD_OUT_FAMILIES)
    if not found:
        raise ValueError(f"{game} has no families of opponents; name some by --opponents")
    return found


def evaluate_families(
    game: str,
    players: Sequence[str],
    families: Mapping[str, Sequence[str]],
    settings: Sequence[Any] = (),
    seeds: int | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    ceilings: bool = False,
    **options: Any,
) -> FamilyTable:
    """Play players and all scripts against the members of families, in every seat.

    Args:
        players: Specs, or folders of seeds. ``{family}`` in one stands for the family that it meets: a policy for each.
        families: Specs by family; in games of more than two seats all other seats have the same one.
        settings: See `evaluation_design`.
        out: Folder of the records, in a subfolder for each family; None: records are not saved.
        ceilings: Whether to compute what a player could earn that knows the strategies, or the families.
    """
    if ceilings and not can_search(find_game(game)):
        raise ValueError(f"--families --ceiling needs a game of offers with a player that plans, got {game}")
    designs: dict[str, tuple[Design, list[Training]]] = {}
    for family, members in families.items():
        own = trainings([spec.replace(PLACEHOLDER, family) for spec in players])
        specs = [spec for one in own for spec in one.seeds]
        for spec in specs:
            make_player(spec, game)
        designs[family] = (
            evaluation_design(game, specs, members, settings, seeds or SEEDS, scripts=True, **options),
            own,
        )
    names = _names(players, [own for _, own in designs.values()])
    against = [
        _gains(design, own, play_evaluation(design, out and out / escape_name(family), jobs))
        for family, (design, own) in designs.items()
    ]
    scripts = [spec for spec in candidates(game) if spec in against[0].gains]
    if any(spec not in one.gains for one in against for spec in scripts):
        raise ValueError(f"{', '.join(families)} are met by different scripts: name those of one role by --opponents")
    learned = [
        np.array([[one.gains[spec] for spec in one.trainings[i].seeds] for one in against]).swapaxes(0, 1)
        for i in range(len(names))
    ]
    by_script = np.array([[one.gains[spec] for one in against] for spec in scripts])
    known = [*families], names, learned, _seed_names(against[0].trainings), scripts, by_script
    if not ceilings:
        return FamilyTable(game, *known)
    (design, _) = next(iter(designs.values()))
    return FamilyTable(game, *known, *search_families(find_game(game), families, design.settings))


def _names(players: Sequence[str], groups: Sequence[list[Training]]) -> list[str]:
    """Return the names of the players, which are the same against all families."""
    sizes = {tuple(len(one.seeds) for one in own) for own in groups}
    if len(sizes) > 1:
        raise ValueError(f"{', '.join(players)}: expected the same trainings and seeds for every family")
    names = [one.name for one in groups[0]]
    if all([one.name for one in own] == names for own in groups):
        return names
    if len(players) != len(names):
        raise ValueError(f"{', '.join(players)}: expected one training for each")
    return list(players)


def _seed_names(groups: Sequence[Training]) -> list[list[str]]:
    return [[spec if seed is None else f"seed {seed}" for spec, seed in one.seeds.items()] for one in groups]


def _gains(design: Design, own: list[Training], records: Sequence[Any]) -> Against:
    """Return the mean gains by spec and setting."""
    by_setting = defaultdict(list)
    for record in records:
        by_setting[str(design.setting_name(record.params))].append(record)
    found: dict[str, list[float]] = {spec: [] for spec in design.players}
    for setting in design.settings:
        gains = gains_of(by_setting[setting.name], {*design.players}, {*design.opponents}, False)
        values: dict[str, list[float]] = defaultdict(list)
        for (spec, _, _), each in gains.items():
            values[spec] += each
        for spec, means in found.items():
            means.append(math.fsum(values[spec]) / len(values[spec]) if values[spec] else math.nan)
    return Against(own, {spec: np.array(means) for spec, means in found.items()})
