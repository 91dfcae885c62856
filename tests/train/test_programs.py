"""Training in games in which programs are submitted: the reply of a model is a source, the action of an RL agent one of
the library."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import econzoo
from econzoo.baselines import player
from econzoo.envs.core.record import RecordFile
from econzoo.envs.families.open_source import library
from econzoo.train.lm.transcripts import transcript
from exhaustive import long_unless

BASES = {"program_matrix": "matrix", "program_coin": "coin_game"}
PAIRS = {"program_matrix": ["tit-for-tat", "clique-bot"], "program_coin": ["greedy", "cooperative"]}
SHORT = {"rounds": 1, "turns": 4}
ALGORITHMS = ("sb3", "sb3-unmasked")


@pytest.fixture(params=BASES)
def game(request):
    return request.param


def test_a_transcript_has_the_source_in_a_code_block(game):
    record = econzoo.play(game, PAIRS[game], rounds=2, turns=4, seed=1)
    for seat, name in enumerate(PAIRS[game]):
        chat = transcript(record, seat)
        assert [message["role"] for message in chat] == ["system", "user", "assistant", "user", "assistant"]
        source = library.program(BASES[game], name.replace("-", "_"))
        assert chat[2]["content"].startswith("```python\n")
        assert source.strip() in chat[2]["content"]
        assert source.strip() in chat[3]["content"], "the programs of the first meta-round are told in the second"


@pytest.mark.parametrize("reply", ["```python\ndef strategy_function(a\n```", "nothing"])
def test_a_program_that_failed_stands_in_the_transcript_as_it_was(reply):
    record = econzoo.play("program_matrix", [f"mock:{reply}", "defect"], rounds=2, turns=3, seed=1, max_retries=0)
    assert record.defaults[0] == 2
    ours, theirs = transcript(record, 0), transcript(record, 1)
    told = "strategy_function(a\n" if "def" in reply else "(no program)"
    assert told in ours[3]["content"]
    assert told in theirs[3]["content"]


@pytest.mark.models
@pytest.mark.parametrize(
    ("game", "algorithm"),
    long_unless(
        lambda game, algorithm: (game, algorithm) == ("program_matrix", "sb3-unmasked"), product(BASES, ALGORITHMS)
    ),
)
@pytest.mark.slow
def test_an_rl_agent_chooses_among_the_programs_of_the_library(game, algorithm, tmp_path):
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    args = PPORecipe(
        game, opponents=[PAIRS[game][0]], settings="once", timesteps=32, algorithm=algorithm, out=tmp_path, n_envs=2,
        n_steps=16, batch_size=32, eval_every=32, eval_episodes=2, progress=False,
    )  # fmt: skip
    policy = train_ppo(args)
    record = econzoo.play(game, [f"ppo:{policy}", "random"], rounds=2)
    assert record.errors == [0, 0]
    chosen = [turn.action["program"].strip() for turn in record.turns if turn.seat == 0]
    assert set(chosen) <= {source.strip() for source in library.load_programs(BASES[game]).values()}
    assert player(f"ppo:{policy}").only_game in (None, game)


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.parametrize("game", long_unless(lambda game: game == "program_matrix", BASES))
def test_sft_and_a_step_of_grpo(game, tmp_path):
    """A tiny Llama learns from submitted programs, then from its own matches; both checkpoints play."""
    pytest.importorskip("trl")
    from lm_world import build_tiny, changed, learning_curve, weights

    from econzoo.train.lm.grpo import GRPORecipe
    from econzoo.train.lm.grpo import train_grpo as grpo
    from econzoo.train.lm.sft import SFTRecipe
    from econzoo.train.lm.sft import train_sft as sft

    records = tmp_path / "r.jsonl"
    for seed in range(2):
        RecordFile(records).append(econzoo.play(game, PAIRS[game], seed=seed, **SHORT))
    tiny = build_tiny(tmp_path / "tiny", str(records), context=4096)
    taught = sft(
        SFTRecipe(
            [str(records)],
            model=f"hf:{tiny}",
            out=str(tmp_path / "s"),
            steps=1,
            batch_size=2,
            lr=1e-2,
            warmup=0,
            max_length=4096,
        )
    )
    assert changed(weights(tiny), weights(taught))
    args = GRPORecipe(
        game, model=f"hf:{taught}", out=str(tmp_path / "g"), opponents=["random", "self"], lr=1e-2, warmup=0,
        param=[f"{name}={value}" for name, value in SHORT.items()], steps=1, groups=2, group_size=2,
        max_new_tokens=16, max_length=4096, temperature=1.5,
    )  # fmt: skip
    header, row = learning_curve(grpo(args))
    assert np.isfinite(float(row[header.index("reward")]))
    record = econzoo.play(game, [f"hf:{tmp_path / 'g'}?max_new_tokens=16", PAIRS[game][0]], **SHORT)
    assert (record.status, record.errors[1]) == ("finished", 0)
    assert np.isfinite(record.payoffs).all()
