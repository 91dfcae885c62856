from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

import econzoo
from econzoo.baselines import METADATA, Network, PolicyPlayer, metadata_of, player, read_metadata
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.faces import numeric_moves
from econzoo.evaluate.run import PlayerCache, new_match, play_matches
from econzoo.wrappers import seat_info
from refusals import refuses

BARGAINING = econzoo.game("bargaining")
ACCEPT, REJECT = 11, 12  # on a grid of 11
NUMERIC = BARGAINING.numeric_version


class Chances:
    """Stands for a network: asks for 0.7 and accepts from 0.3; counts its forward passes."""

    is_masked = True
    rows = ()

    def __init__(self, grid=11, game=BARGAINING):
        self.metadata = metadata_of(game, grid, "sb3", [4], 0, {})
        self.rows = []

    def decide(self, features, masks, kept, moves):
        return self.probabilities(features, masks), np.zeros((len(features), 0), np.float32)

    def probabilities(self, features, masks):
        self.rows.append(len(features))
        out = np.where(masks, 0.01, 0.0)
        proposing = masks[:, 0]
        out[proposing, 7] = 1.0
        out[~proposing, ACCEPT] = features[~proposing, 9] >= 0.3
        out[~proposing, REJECT] += 0.5 * (features[~proposing, 9] < 0.3)
        return out / out.sum(axis=1, keepdims=True)


def zipped(path, entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def described(tmp_path):
    def make(**changes):
        metadata = {**metadata_of(BARGAINING, 101, "sb3", [4], 0, {}), **changes}
        return zipped(tmp_path / "policy.zip", {METADATA: json.dumps(metadata)})

    return make


def test_plays_at_a_table_of_any_grid():
    ours = PolicyPlayer("ppo:x", Chances())
    record = econzoo.play("bargaining", [ours, "fair"], seed=0, delta=(0.9, 0.9))
    assert record.turns[0].action == {"kind": "offer", "gain": 7000.0}
    assert record.faces[0] == "structured"
    assert record.errors == [0, 0]
    assert record.payoffs == pytest.approx([4500.0, 4500.0])


def test_plays_by_the_part_of_the_amounts_that_it_was_trained_on():
    network = Chances()
    network.metadata["grid_range"] = [0.25, 0.75]
    for settings in ({}, {"grid": 5, "grid_range": (0.0, 0.5)}):
        record = econzoo.play("bargaining", [PolicyPlayer("ppo:x", network), "fair"], seed=0, **settings)
        assert record.turns[0].action == {"kind": "offer", "gain": 2500.0 + 0.7 * 5000.0}


def test_matches_at_the_same_time_share_one_forward_pass():
    network = Chances()
    cast = {"ppo:x": PolicyPlayer("ppo:x", network), "fair": player("fair", "bargaining")}
    matches = [new_match("bargaining", ["ppo:x", "fair"], seed) for seed in range(8)]
    together = list(play_matches(matches, cast.__getitem__, concurrent=8))
    assert max(network.rows) == 8
    alone = [next(play_matches([match], cast.__getitem__)) for match in matches]
    assert [r.payoffs for r in sorted(together, key=lambda r: r.seed)] == [r.payoffs for r in alone]


def test_drawing_follows_the_seed_of_the_match():
    spec = PolicyPlayer("ppo:x", Chances(), deterministic=False)

    def offers(seed):
        return [t.action for t in econzoo.play("bargaining", [spec, "greedy"], seed=seed).turns]

    assert offers(1) == offers(1)
    assert len({str(offers(seed)) for seed in range(8)}) > 1


def test_unmasked_choice_that_is_not_legal_is_the_default_action():
    network = Chances()
    network.probabilities = lambda features, masks: np.eye(13)[[12 if mask[0] else 3 for mask in masks]]
    record = econzoo.play("bargaining", [PolicyPlayer("ppo:x", network), "fair"], seed=0, horizon=2)
    assert record.turns[0].action == {"kind": "offer", "gain": 5000.0}
    assert record.errors == [0, 0]


def test_another_game_version_or_features_are_refused():
    env = GameEnv(BARGAINING)
    env.reset(seed=0)
    info = seat_info(env, 0)
    for key, value, *named in (
        ("game", "negotiation", "'negotiation'", "'bargaining'"),
        ("versions", {"rules": 7, "numeric": NUMERIC}, 7, 0),
        ("versions", {"rules": 0, "numeric": NUMERIC + 2}, NUMERIC + 2, NUMERIC),
        ("seats", 3, 3, 2),
        ("features", ["one"], 1, 14),
    ):
        network = Chances()
        network.metadata[key] = value
        with refuses(ValueError, "'ppo:x'", *named):
            PolicyPlayer("ppo:x", network).reset(0, info, 0)


def test_a_part_that_is_none_is_refused(described):
    assert read_metadata(described(grid_range=[0.4, 0.7]))["grid_range"] == [0.4, 0.7]
    for wrong in ([0.7, 0.4], [0.5], "0.4,0.7", 5, [0, 8000]):
        with refuses(ValueError, "grid_range", "LOW,HIGH"):
            read_metadata(described(grid_range=wrong))


def test_names_of_features_are_only_words():
    env = GameEnv(BARGAINING)
    env.reset(seed=0)
    network = Chances()
    network.metadata["features"] = [name.upper() for name in network.metadata["features"]]
    PolicyPlayer("ppo:x", network).reset(0, seat_info(env, 0), 0)


def test_missing_file(tmp_path):
    with refuses(FileNotFoundError, tmp_path / "nothing.zip"):
        player(f"ppo:{tmp_path / 'nothing.zip'}")
    with refuses(FileNotFoundError, tmp_path / "policy.zip"):
        player(f"ppo:{tmp_path}")


def test_files_that_are_no_policies(tmp_path, described):
    for content in (b"", b"hello", b"PK\x03\x04half of a zip"):
        (tmp_path / "p.zip").write_bytes(content)
        with refuses(ValueError, tmp_path / "p.zip"):
            player(f"ppo:{tmp_path / 'p.zip'}")
    with refuses(ValueError, tmp_path / "q.zip", METADATA, "econzoo train ppo"):
        player(f"ppo:{zipped(tmp_path / 'q.zip', {'data': '{}'})}")
    for text, named in (("[]", METADATA), ("{}", "format None"), ('{"format": 99}', "format 99")):
        with refuses(ValueError, tmp_path / "q.zip", named):
            player(f"ppo:{zipped(tmp_path / 'q.zip', {METADATA: text})}")
    with refuses(ValueError, tmp_path / "q.zip"):
        player(f"ppo:{zipped(tmp_path / 'q.zip', {METADATA: '{'})}")
    with refuses(ValueError, "'chess'", "bargaining"):
        player(f"ppo:{described(game='chess')}")


def test_a_folder_stands_for_its_policy(tmp_path, described):
    described()
    assert read_metadata(tmp_path)["game"] == "bargaining"
    assert player(f"ppo:{tmp_path}").deterministic
    assert not player(f"ppo:{tmp_path}?deterministic=0").deterministic


def test_unknown_options(described):
    for options in ("deterministic=2", "temperature=1", "deterministic="):
        with refuses(ValueError, "deterministic=0", 1):
            player(f"ppo:{described()}?{options}")


def test_no_torch_before_the_first_move(described):
    import subprocess
    import sys

    code = f"import sys; from econzoo.baselines.factory import player; player('ppo:{described()}'); " + (
        "import econzoo.wrappers.single_agent, econzoo.baselines.single_agent; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize(("weights", "told"), [({}, "policy.zip"), (None, "policy.pth")])
def test_a_network_that_is_another_or_not_there(tmp_path, weights, told):
    torch = pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    entries = {METADATA: json.dumps(metadata_of(BARGAINING, 101, "sb3", [4], 0, {}))}
    if weights is not None:
        torch.save(weights, held := io.BytesIO())
        entries["policy.pth"] = held.getvalue()
    path = zipped(tmp_path / "policy.zip", entries)
    moves, legal = numeric_moves(BARGAINING.actions, 101, 2, no_op=False), np.ones((1, 103), bool)
    with refuses(ValueError, told):
        Network(path, read_metadata(path)).decide(np.zeros((1, 14), np.float32), legal, [None], moves)


def test_cast_forks_share_the_network(described):
    cast = PlayerCache("bargaining")
    made = cast(f"ppo:{described()}")
    assert made.fork().network is made.network
    assert made.fork().batch_key == made.batch_key
