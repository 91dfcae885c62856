"""What was played, for a reader who was not there: game, rules, parameters of every setting, players."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.descriptions import description
from econzoo.envs.core.contract.parameters import complete_parameters
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.faces.text_face import TextFace
from econzoo.envs.core.faces.transcript import replace_names, role_names
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.provenance import Provenance, current_provenance
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity, labels, split_name
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import parameters_of
from econzoo.evaluate.run.folder import MANIFEST, read_provenance
from econzoo.evaluate.run.settings import format_value, name_setting
from econzoo.evaluate.show.parts import FOLDED, HEADING, NOTE, PAGE, TEXT, Column, Part, Table, Text

if TYPE_CHECKING:
    from econzoo.evaluate.run.design import Design

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
"""Settings that a table has a row for; of more it has the values of every parameter that varies."""

MAX_VALUES = 12
"""Values of a parameter that are listed."""


class PlayedSetting(NamedTuple):
    """In which matches were played.

    Attributes:
        name: Of the market.
        params: All public parameters.
        options: Of the environment, as records have them.
        rule_texts: What each role was told of the rules, where that was in other words than ours.
    """

    name: str
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    rule_texts: Mapping[str, str] = {}

    @property
    def values(self) -> dict[str, str]:
        """Parameters and options in words; of a set of prompts its name and hash."""
        prompts = self.options.get("prompts")
        known = {"prompts": f"{prompts['name']} ({prompts['hash']})"} if prompts and "name" in prompts else {}
        return {name: format_value(value) for name, value in {**self.params, **self.options, **known}.items()}


class PlayedGame(NamedTuple):
    """What was played of one game.

    Attributes:
        game: Name.
        summary: One sentence.
        source: Where its rules come from.
        rules: What every seat is told in the first setting, by role; seats that are told the same stand together.
        fixed_parameters: Name, value and meaning of what is the same in all settings.
        varied_parameters: Name and meaning of what varies between settings.
        heads: Of the table of these.
        rows: Its values, setting by setting, the name first; or parameter by parameter if there are too many.
        first_setting: Name of the first setting.
        settings: How many there are.
        players: What tables call each player, and who that is.
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
    """What was played in some matches, game by game.

    Args:
        records: See `econzoo.evaluate.run.folder.read_folder`.
        design: Gives the markets their names; None: see `econzoo.evaluate.run.settings.name_setting`.
    """
    settings: dict[str, dict[str, PlayedSetting]] = {}
    players: dict[str, dict[str, str]] = {}
    for record in records:
        players.setdefault(record.game, {}).update(zip(record.labels, record.players, strict=True))
        key = _key(record.params, record.options)
        if key not in (known := settings.setdefault(record.game, {})):
            named = design.setting_name(record.params) if design is not None else None
            name = named or name_setting(find_game(record.game), record.params)
            known[key] = PlayedSetting(
                name, complete_parameters(parameters_of(record.game), record.params), record.options
            )
    return [
        _new_played_game(game, list(found.values()), describe_players(players[game], game))
        for game, found in settings.items()
    ]


def _key(params: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    return json.dumps([to_plain(params), options], sort_keys=True, default=str)


def design_games(design: Design) -> list[PlayedGame]:
    """What is played in a design."""
    return merge_played_games(design, design.game)


def merge_played_games(
    design: Design | None,
    game: str,
    settings: Iterable[PlayedSetting] = (),
    players: Mapping[str, str] = MappingProxyType({}),
) -> list[PlayedGame]:
    """What is played in a design, and in games from elsewhere beside it.

    Args:
        design: None: all is from elsewhere.
        game: Name of the game.
        settings: From elsewhere.
        players: From elsewhere: what tables call each, and who that is.
    """
    own = (
        [PlayedSetting(one.name, find_game(game).params(**one.params)[0], design.options) for one in design.settings]
        if design
        else []
    )
    who = {told: spec for spec, told in labels(design.names()).items()} if design else {}
    apart: dict[str, PlayedSetting] = {}
    for one in [*own, *settings]:
        params = complete_parameters(parameters_of(game), one.params)
        apart.setdefault(_key(params, one.options), one._replace(params=params))
    return [_new_played_game(game, list(apart.values()), {**players, **describe_players(who, game)})]


def describe_players(players: Mapping[str, str], game: str) -> dict[str, str]:
    """A line on each player of a game: what tables call it, to who that is."""
    return {told: _describe_player(told, spec, game) for told, spec in players.items()}


def _new_played_game(name: str, settings: Sequence[PlayedSetting], players: Mapping[str, str]) -> PlayedGame:
    game, values = find_game(name), [one.values for one in settings]
    names = list(dict.fromkeys(key for one in values for key in one))
    found = {key: [one.get(key, "") for one in values] for key in names}
    meanings = {one.name: one.doc.replace("`", "") for one in game.parameters}
    same = [(key, told[0], meanings.get(key, "")) for key, told in found.items() if len(set(told)) == 1]
    varying = {key: told for key, told in found.items() if len(set(told)) > 1}
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


def _describe_player(told: str, spec: str, game: str) -> str:
    """A line on a player; of a strategy with a name of its own, its spec first."""
    line = description(spec, game)
    bare = split_name(identity(spec)).spec if line else told
    return line if told == bare or ":" in bare else f"{bare}: {line}"


def _setting_rows(
    settings: Sequence[PlayedSetting], varying: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    if not varying:
        return [], []
    if len(settings) > MAX_SETTINGS:
        return ["parameter", "values"], [
            [key, _join_values(list(dict.fromkeys(told)))] for key, told in varying.items()
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
    """Rules by role; roles that are told the same but for their names stand together, with the text of the first."""
    alike: dict[str, list[str]] = {}
    for role, text in rules.items():
        alike.setdefault(replace_names(text, rules), []).append(role)
    return {
        first + (f" (and likewise {', '.join(others)})" if others else ""): rules[first]
        for first, *others in alike.values()
    }


def rules_of(env: GameEnv) -> dict[str, str]:
    """What every seat of an environment with text faces is told of the rules, by role."""
    roles = role_names(env.game, len(env.possible_agents))
    return {role: _seat_rules(env, agent) for role, agent in zip(roles, env.possible_agents, strict=False)}


def _seat_rules(env: GameEnv, agent: str) -> str:
    face = env.face(agent)
    return face.rules(env.information_state(agent).view) if isinstance(face, TextFace) else ""


def collect_provenance(folders: Iterable[str | Path]) -> list[Provenance]:
    """What has made folders and those below them, as far as that was recorded."""
    places = [path.parent for folder in folders for path in sorted(Path(folder).rglob(MANIFEST))]
    return list(dict.fromkeys(made for place in places for made in read_provenance(place)))


def describe(played: Sequence[PlayedGame], folders: Iterable[str | Path] = ()) -> list[Part]:
    """What was played as the section of a page.

    Args:
        played: Game by game.
        folders: Of the matches, whose manifests say what has made them.
    """
    parts: list[Part] = [Text("What was played", HEADING, places=(PAGE,))]
    for one in played:
        parts += _describe_game(one, several=len(played) > 1)
    return [*parts, Text(_provenance_note(played, collect_provenance(folders)), NOTE, places=(PAGE,))]


def _describe_game(one: PlayedGame, several: bool) -> Iterator[Part]:
    yield Text(f"{one.game}: {one.summary} After {one.source}.", places=(PAGE,))
    first = f" in the setting {one.first_setting}" if one.rows else ""
    for role, text in one.rules.items():
        yield Text(text, FOLDED, f"What {role} is told{first}")
    if one.rows:
        meanings = [
            f"{name}: {meaning or 'An option of every game.'}" for name, meaning in one.varied_parameters.items()
        ]
        title = f"What varies between {format_count(one.settings, 'setting')}"
        yield _table("settings", title, one.heads, one.rows, " ".join(meanings))
    if one.fixed_parameters:
        title = "The same in all settings" if one.rows else "Parameters"
        yield _table("parameters", title, ("parameter", "value", "meaning"), one.fixed_parameters)
    yield _table(
        "players", f"Who played {one.game}" if several else "Who played", ("player", "who"), one.players.items()
    )


def _table(key: str, title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> Table:
    columns = [Column(head, head, TEXT) for head in heads]
    return Table(key, title, columns, [[cell or "\u2013" for cell in row] for row in rows], note, places=(PAGE,))


def _provenance_note(played: Sequence[PlayedGame], made: Sequence[Provenance]) -> str:
    def command_line(one: Provenance) -> str:
        return f"{one.command or 'a Python program'}, EconZoo {one.version}"

    now = current_provenance()
    if played and made == [now]:
        return f"Matches and page made by: {command_line(now)}."
    before = f"Matches made by: {'; '.join(map(command_line, made)) or 'not recorded'}. " if played else ""
    return f"{before}Page made by: {command_line(now)}."
