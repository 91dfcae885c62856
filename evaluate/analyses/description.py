"""Description of the matches of a page: game, rules, parameters of every setting, players."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines import description
from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.faces import TextFace, replace_names, role_names
from econzoo.envs.core.record import Provenance, Record, current_provenance, distinct_provenance, identity, labels
from econzoo.envs.core.record import split_name
from econzoo.evaluate.run import MANIFEST, format_value, name_setting, read_provenance
from econzoo.evaluate.show import FOLDED, HEADING, NOTE, PAGE, TEXT, Column, Part, Table, Text

if TYPE_CHECKING:
    from econzoo.evaluate.run import Design

__all__ = [
    "PlayedGame",
    "PlayedSetting",
    "describe",
    "collect_provenance",
    "design_games",
    "played_games",
    "merge_played_games",
    "rules_of",
    "describe_players",
]

MAX_SETTINGS = 80
"""Most settings with one table row each; with more, the table lists the values of each varying parameter."""

MAX_VALUES = 12
"""Most values of a parameter that are listed."""


class PlayedSetting(NamedTuple):
    """A setting in which matches were played.

    Attributes:
        params: All public parameters.
        options: Recorded options of the environment.
        rule_texts: Rules text by role, for imported games whose text differs from EconZoo's.
    """

    name: str
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    rule_texts: Mapping[str, str] = {}

    @property
    def values(self) -> dict[str, str]:
        """Parameters and options as text; prompts by name and hash."""
        prompts = self.options.get("prompts")
        named = {"prompts": f"{prompts['name']} ({prompts['hash']})"} if prompts and "name" in prompts else {}
        return {name: format_value(value) for name, value in {**self.params, **self.options, **named}.items()}


class PlayedGame(NamedTuple):
    """The settings and players of one game.

    Attributes:
        rules: Rules text by role in the first setting; roles with equal texts are joined.
        fixed_parameters: Name, value and meaning of parameters that are equal in all settings.
        varied_parameters: Name and meaning of parameters that vary between settings.
        rows: Rows of the table of varying parameters: one per setting, name first; with too many settings, one per
            parameter.
        players: Label of each player in tables to its description.
    """

    game: str
    summary: str
    source: str
    rules: dict[str, str]
    fixed_parameters: list[tuple[str, str, str]]
    varied_parameters: dict[str, str]
    heads: list[str]
    rows: list[list[str]]
    first_setting: str
    settings: int
    players: dict[str, str]


def played_games(records: Iterable[Record], design: Design | None = None) -> list[PlayedGame]:
    """Collect the settings and players of matches, game by game.

    Args:
        design: Design with the settings' names; None: see `econzoo.evaluate.run.settings.name_setting`.
    """
    settings: dict[str, dict[str, PlayedSetting]] = {}
    players: dict[str, dict[str, str]] = {}
    for record in records:
        players.setdefault(record.game, {}).update(zip(record.labels, record.players, strict=True))
        key = _key(record.params, record.options)
        if key not in (known := settings.setdefault(record.game, {})):
            named = design.setting_name(record.params) if design is not None else None
            name = named or name_setting(find_game(record.game), record.params)
            known[key] = PlayedSetting(name, record.params, record.options)
    return [
        _new_played_game(game, list(found.values()), describe_players(players[game], game))
        for game, found in settings.items()
    ]


def _key(params: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    return json.dumps([to_plain(params), options], sort_keys=True, default=str)


def design_games(design: Design) -> list[PlayedGame]:
    """Return the settings and players of a design."""
    return merge_played_games(design, design.game)


def merge_played_games(
    design: Design | None,
    game: str,
    settings: Iterable[PlayedSetting] = (),
    players: Mapping[str, str] = MappingProxyType({}),
) -> list[PlayedGame]:
    """Merge the settings and players of a design with those of imported games.

    Args:
        design: The design; None if all games are imported.
        players: Label of each player of imported games to its description.
    """
    own = (
        [PlayedSetting(one.name, find_game(game).params(**one.params)[0], design.options) for one in design.settings]
        if design
        else []
    )
    specs = {label: spec for spec, label in labels(design.names()).items()} if design else {}
    unique: dict[str, PlayedSetting] = {}
    for one in [*own, *settings]:
        unique.setdefault(_key(one.params, one.options), one)
    return [_new_played_game(game, list(unique.values()), {**players, **describe_players(specs, game)})]


def describe_players(players: Mapping[str, str], game: str) -> dict[str, str]:
    """Return a one-line description of each player of a game, by its label."""
    return {label: _describe_player(label, spec, game) for label, spec in players.items()}


def _new_played_game(name: str, settings: Sequence[PlayedSetting], players: Mapping[str, str]) -> PlayedGame:
    game, values = find_game(name), [one.values for one in settings]
    names = list(dict.fromkeys(key for one in values for key in one))
    by_name = {key: [one.get(key, "") for one in values] for key in names}
    meanings = {one.name: one.doc.replace("`", "") for one in game.parameters}
    same = [(key, texts[0], meanings.get(key, "")) for key, texts in by_name.items() if len(set(texts)) == 1]
    varying = {key: texts for key, texts in by_name.items() if len(set(texts)) > 1}
    return PlayedGame(
        name,
        game.summary,
        game.facts.source,
        _rules(name, settings[0]),
        same,
        {key: meanings.get(key, "") for key in varying},
        *_setting_rows(settings, varying),
        settings[0].name,
        len(settings),
        dict(sorted(players.items())),
    )


def _describe_player(label: str, spec: str, game: str) -> str:
    """Describe a player in one line, which begins with its spec if its label differs."""
    line = description(spec, game)
    bare = split_name(identity(spec)).spec if line else label
    return line if label == bare or ":" in bare else f"{bare}: {line}"


def _setting_rows(
    settings: Sequence[PlayedSetting], varying: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    if not varying:
        return [], []
    if len(settings) > MAX_SETTINGS:
        return ["parameter", "values"], [
            [key, _join_values(list(dict.fromkeys(texts)))] for key, texts in varying.items()
        ]
    rows = [list(row) for row in zip([one.name for one in settings], *varying.values(), strict=True)]
    return ["setting", *varying], rows


def _join_values(values: Sequence[str]) -> str:
    more = len(values) - MAX_VALUES
    return ", ".join([*values[:MAX_VALUES], *([f"and {more:,} more"] if more > 0 else [])])


def _rules(name: str, setting: PlayedSetting) -> dict[str, str]:
    env = GameEnv(find_game(name), face="chat", **setting.options, **setting.params)
    env.reset(seed=0)
    return merge_equal_rules(setting.rule_texts or rules_of(env))


def merge_equal_rules(rules: Mapping[str, str]) -> dict[str, str]:
    """Join roles whose rules texts are equal but for names, under the text of the first."""
    alike: dict[str, list[str]] = {}
    for role, text in rules.items():
        alike.setdefault(replace_names(text, rules), []).append(role)
    return {
        first + (f" (and likewise {', '.join(others)})" if others else ""): rules[first]
        for first, *others in alike.values()
    }


def rules_of(env: GameEnv) -> dict[str, str]:
    """Return the rules text of every seat of an environment with text faces, by role."""
    roles = role_names(env.game, len(env.possible_agents))
    return {role: _seat_rules(env, agent) for role, agent in zip(roles, env.possible_agents, strict=False)}


def _seat_rules(env: GameEnv, agent: str) -> str:
    face = env.face(agent)
    return face.rules(env.information_state(agent).view) if isinstance(face, TextFace) else ""


def collect_provenance(folders: Iterable[str | Path]) -> list[Provenance]:
    """Return the recorded provenance of folders and their subfolders."""
    places = [path.parent for folder in folders for path in sorted(Path(folder).rglob(MANIFEST))]
    return distinct_provenance(one for place in places for one in read_provenance(place))


def describe(played: Sequence[PlayedGame], folders: Iterable[str | Path] = ()) -> list[Part]:
    """Return the section of a page that describes the matches.

    Args:
        folders: Folders of the matches, whose manifests have their provenance.
    """
    parts: list[Part] = [Text("What was played", HEADING, places=(PAGE,))]
    for one in played:
        parts += _describe_game(one, several=len(played) > 1)
    return [*parts, Text(_provenance_note(played, collect_provenance(folders)), NOTE, places=(PAGE,))]


def _describe_game(one: PlayedGame, several: bool) -> Iterator[Part]:
    yield Text(f"{one.game}: {one.summary} Source: {one.source}.", places=(PAGE,))
    first = f" in the setting {one.first_setting}" if one.rows else ""
    for role, text in one.rules.items():
        yield Text(text, FOLDED, f"Rules as shown to {role}{first}")
    if one.rows:
        meanings = [
            f"{name}: {meaning or 'An option of every game.'}" for name, meaning in one.varied_parameters.items()
        ]
        title = f"Parameters that vary between {format_count(one.settings, 'setting')}"
        yield _table("settings", title, one.heads, one.rows, " ".join(meanings))
    if one.fixed_parameters:
        title = "Parameters that are equal in all settings" if one.rows else "Parameters"
        yield _table("parameters", title, ("parameter", "value", "meaning"), one.fixed_parameters)
    yield _table(
        "players", f"Players of {one.game}" if several else "Players", ("player", "description"), one.players.items()
    )


def _table(key: str, title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> Table:
    columns = [Column(head, head, TEXT) for head in heads]
    return Table(key, title, columns, [[cell or "\u2013" for cell in row] for row in rows], note, places=(PAGE,))


def _provenance_note(played: Sequence[PlayedGame], sources: Sequence[Provenance]) -> str:
    def command_line(one: Provenance) -> str:
        return f"{one.command or 'a Python program'}, {one.software}"

    current = current_provenance()
    if played and sources == [current]:
        return f"Matches and page made by: {command_line(current)}."
    matches = f"Matches made by: {'; '.join(map(command_line, sources)) or 'not recorded'}. " if played else ""
    return f"{matches}Page made by: {command_line(current)}."
