"""Public functions name an argument that is of a wrong type, instead of failing somewhere inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import make_single_agent
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import Record, RecordFile, read_record_file
from econzoo.envs.families.open_source.sandbox import Sandbox
from econzoo.evaluate.analyses import columns
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.run import check_run, check_seal, missing_matches, new_design, play_all, read_design, read_folder
from econzoo.evaluate.run import read_match, recompute_record, replay, replay_file, resume, run, seal_records
from econzoo.evaluate.run import read_records as records_of
from econzoo.wrappers import DiscreteActions, MessageChannel, ObjectiveReward, RecordMatch, SingleAgentEnv
from econzoo.wrappers import TextObservation

GAME, PLAYERS = "bargaining", ["fair", "spe"]


def env() -> Any:
    return econzoo.make(GAME, face="structured")


CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "make": ("game", econzoo.make),
    "make, face": ("face", lambda x: econzoo.make(GAME, face=x)),
    "make, parameter": ("delta", lambda x: econzoo.make(GAME, delta=x)),
    "make, objective": ("objective", lambda x: econzoo.make(GAME, objective=x)),
    "make_raw": ("game", econzoo.make_raw),
    "make_parallel": ("game", econzoo.make_parallel),
    "make_vec": ("game", lambda x: econzoo.make_vec(x, 2)),
    "game": ("game", econzoo.game),
    "register_game, name": ("name", lambda x: econzoo.register_game(x, "module:GAME")),
    "register_game, where": ("where", lambda x: econzoo.register_game("some_game", x)),
    "player": ("player", econzoo.player),
    "play": ("game", lambda x: econzoo.play(x, PLAYERS)),
    "play, players": ("player", lambda x: econzoo.play(GAME, x)),
    "play, a player": ("player", lambda x: econzoo.play(GAME, [x, "fair"])),
    "play, seed": ("seed", lambda x: econzoo.play(GAME, PLAYERS, seed=x)),
    "new_design": ("game", lambda x: new_design(x, PLAYERS)),
    "new_design, players": ("players", lambda x: new_design(GAME, x)),
    "new_design, settings": ("settings", lambda x: new_design(GAME, PLAYERS, x)),
    "new_design, seeds": ("seeds", lambda x: new_design(GAME, PLAYERS, seeds=x)),
    "new_design, opponents": ("opponents", lambda x: new_design(GAME, PLAYERS, opponents=x)),
    "run": ("design", lambda x: run(x, "no_folder")),
    "run, folder": ("folder", lambda x: run(new_design(GAME, PLAYERS), x)),
    "missing": ("design", lambda x: missing_matches(x, "no_folder")),
    "check": ("design", lambda x: check_run(x, "no_folder")),
    "play_all": ("design", play_all),
    "replay": ("record", replay),
    "played_again": ("record", recompute_record),
    "replay_file": ("path", lambda x: list(replay_file(x))),
    "read_records": ("path", lambda x: list(read_record_file(x))),
    "RecordFile": ("path", RecordFile),
    "read_design": ("folder", read_design),
    "read_match": ("path", read_match),
    "resume": ("paused", resume),
    "sealed": ("path", seal_records),
    "check_seal": ("path", lambda x: check_seal(x, "")),
    "check_seal, expected": ("expected", lambda x: check_seal("no_file", x)),
    "records_of": ("folder", records_of),
    "read_folder": ("folder", read_folder),
    "summarize": ("records", summarize),
    "columns": ("records", columns),
    "Record.from_json": ("line", Record.from_json),
    "Objective": ("objective", Objective),
    "Sandbox": ("limits", lambda x: Sandbox(x or 0)),
    "Sandbox.load, source": ("source", lambda x: Sandbox().load(x, 0, "")),
    "Sandbox.load, seed": ("seed", lambda x: Sandbox().load("", x, "")),
    "Sandbox.load, other_source": ("other_source", lambda x: Sandbox().load("", 0, x)),
    "Sandbox.load, interface": ("interface", lambda x: Sandbox().load("", 0, "", x)),
    "SingleAgentEnv": ("game", lambda x: SingleAgentEnv(x, "fair")),
    "SingleAgentEnv, opponents": ("opponents", lambda x: SingleAgentEnv(GAME, x)),
    "SingleAgentEnv, seat": ("seat", lambda x: SingleAgentEnv(GAME, "fair", seat=x)),
    "make_single_agent": ("game", lambda x: make_single_agent(x, "fair")),
    "DiscreteActions": ("env", DiscreteActions),
    "DiscreteActions, grid": ("grid", lambda x: DiscreteActions(env(), x)),
    "MessageChannel": ("env", lambda x: MessageChannel(x, "open")),
    "MessageChannel, change": ("change", lambda x: MessageChannel(env(), x)),
    "ObjectiveReward": ("env", lambda x: ObjectiveReward(x, "fairness")),
    "ObjectiveReward, objective": ("objective", lambda x: ObjectiveReward(env(), x)),
    "RecordMatch": ("env", lambda x: RecordMatch(x, PLAYERS)),
    "RecordMatch, players": ("players", lambda x: RecordMatch(env(), x)),
    "TextObservation": ("env", TextObservation),
}
"""What the message must name, and a call with one argument open."""

WRONG = st.one_of(
    st.none(),
    st.floats(min_value=1.1, max_value=1.9),
    st.builds(object),
    st.complex_numbers(),
    st.lists(st.one_of(st.none(), st.builds(object)), min_size=1, max_size=2),
)
"""Values that are allowed nowhere."""


@settings(max_examples=12, deadline=None, derandomize=True)
@given(WRONG)
def test_an_argument_of_a_wrong_type_is_named(wrong: Any) -> None:
    for call, (name, function) in CALLS.items():
        with pytest.raises(ValueError, match=name) as caught:
            function(wrong)
        assert "\n" not in str(caught.value), call
