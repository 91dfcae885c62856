"""Who may know what in the trust game."""

from __future__ import annotations

import econzoo


def test_both_see_every_move_at_once() -> None:
    env = econzoo.make("trust", face="structured")
    env.reset(seed=0)
    for moves, kind in enumerate(("send", "give_back", "send"), start=1):
        env.step({"kind": kind, "amount": 1.0})
        assert [len(env.observe(agent)["history"]) for agent in env.possible_agents] == [moves, moves]
