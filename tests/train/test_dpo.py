"""DPO: which plays are paired, what is learned of them, and the loss by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from lm_world import SHORT, SMALL, RandomChat, changed, learning_curve, settings, weights

import econzoo
from econzoo.baselines import LanguageModelPlayer
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import RecordFile
from econzoo.train.lm import dpo
from econzoo.train.lm.dpo import DPORecipe
from econzoo.train.lm.dpo_trainer import Reference, chat_of, match_key, preferences, reference_of, to_pair
from econzoo.train.lm.transcripts import RecordedSeat
from econzoo.train.reward import Reward
from later import Later
from refusals import refuses, says

torch = Later("torch")
pytestmark = pytest.mark.models

GAIN = Reward(Objective("self_gain"))


def plays(seeds=(0, 1), seats=(0, 1), others=("fair", "greedy"), names="abcd", nonsense=0.2, **params):
    """Matches of a chat model that moves at random, each played by several such models."""
    out = []
    for seed in seeds:
        for seat in seats:
            for other in others:
                for number, name in enumerate(names):
                    chat = RandomChat("bargaining", nonsense)
                    chat.reply = drawing(chat.reply, number)
                    players = [other, other]
                    players[seat] = LanguageModelPlayer(name, chat)
                    out.append(econzoo.play("bargaining", players, seed=seed, **{**SMALL, **params}))
    return out


def drawing(reply, number):
    """The same model with other luck."""
    import numpy as np

    return lambda schema, rng: reply(schema, np.random.default_rng([number, int(rng.integers(2**32))]))


@pytest.fixture(scope="module")
def records():
    return [*plays(), *plays(seeds=(0,), horizon=3)]


@pytest.fixture(scope="module")
def file(records, tmp_path_factory):
    file = RecordFile(tmp_path_factory.mktemp("dpo") / "r.jsonl")
    for record in records[:16]:
        file.append(record)
    return str(file.path)


@pytest.fixture
def loaded(tiny):
    from econzoo.train.lm.model import load_for_training

    return load_for_training(f"hf:{tiny}")


class TestPairs:
    def test_both_have_the_same_setting_seed_seat_and_opponents(self, records):
        found = preferences(records, GAIN, 0.01, players=tuple("abcd"))
        assert len(found) > 8
        for better, worse in found:
            ours, theirs = better.record, worse.record
            assert (ours.params, ours.seed, better.seat) == (theirs.params, theirs.seed, worse.seat)
            assert ours.players[1 - better.seat] == theirs.players[1 - worse.seat]
        assert len({match_key(one.better) for one in found}) > 5

    @pytest.mark.parametrize("other", [{"seeds": (1,)}, {"seats": (1,)}, {"others": ("greedy",)}, {"horizon": 3}])
    def test_matches_that_differ_in_one_of_them_are_never_paired(self, other):
        one = {"seeds": (0,), "seats": (0,), "others": ("fair",)}
        mixed = [*plays(**one, names="a"), *plays(**{**one, **other}, names="b")]
        assert preferences(mixed, GAIN, 0.0, players=("a", "b")) == []

    def test_the_better_is_better_by_the_margin(self, records):
        found = preferences(records, GAIN, 0.1)
        assert all(one.better.value - one.worse.value >= 0.1 for one in found)
        assert len(found) < len(preferences(records, GAIN, 0.0))

    def test_the_best_stands_with_the_worst(self):
        one = plays(seeds=(0,), seats=(0,), others=("fair",))
        values = sorted(GAIN.compute(record, 0) for record in one)
        first = preferences(one, GAIN, 0.0, seats=(0,))[0]
        assert (first.better.value, first.worse.value) == (values[-1], values[0])

    def test_a_forfeit_is_worse_than_any_deal(self, records):
        found = preferences(records, GAIN, 0.0)
        assert any(one.worse.record.forfeit == one.worse.seat for one in found)
        assert not any(one.better.record.forfeit == one.better.seat for one in found)


class TestTokens:
    @pytest.fixture
    def pairs(self, records, loaded):
        found = preferences(records, GAIN, 0.0, players=tuple("abcd"))
        made = [(one, to_pair(loaded, one, loaded.context, 2)) for one in found]
        return [(one, pair) for one, pair in made if pair is not None]

    def test_the_common_part_is_the_prompt_and_not_learned(self, pairs):
        for _, pair in pairs:
            first = pair.rejected.own_mask.index(1)
            assert pair.chosen.own_mask.index(1) >= first, "later if the chosen side begins with an invalid reply"
            assert pair.chosen.ids[:first] == pair.rejected.ids[:first]
            assert pair.chosen.ids[first:] != pair.rejected.ids[first:]

    def test_own_tokens_are_the_replies_from_the_first_that_differs(self, pairs, loaded):
        several = invalid = 0
        for one, pair in pairs:
            for side, made in ((one.better, pair.chosen), (one.worse, pair.rejected)):
                replies = [m["content"] for m in chat_of(side, 2) if m["role"] == "assistant"]
                turns = [turn for turn in side.record.turns if turn.seat == side.seat]
                if side is one.better:  # nobody learns to answer like this
                    invalid += any(turn.error for turn in turns)
                    replies = [text for text, turn in zip(replies, turns, strict=True) if not turn.error]
                learned = loaded.tokenizer.decode([i for i, own in zip(made.ids, made.own_mask, strict=True) if own])
                said = [part for part in learned.split("<|im_end|>") if part]
                assert said == [loaded.escape_markup(reply) for reply in replies][len(replies) - len(said) :]
                several += len(said) > 1
        assert several
        assert invalid

    def test_unusable_answers_stand_there_as_they_were_given(self, records):
        seated = [RecordedSeat(one, seat, 0.0) for one in records for seat in (0, 1) if one.forfeit == seat]
        assert all("I would rather not say." in [m["content"] for m in chat_of(one, 2)] for one in seated)

    def test_what_another_made_different_is_no_pair(self, loaded, records):
        found = preferences(records, GAIN, 0.0, players=tuple("abcd"))
        one = next(one for one in found if one.better.record.turns[0].seat == one.better.seat)
        turn = one.worse.record.turns[0]
        changed = replace(
            one.worse.record, turns=[replace(turn, prompt=f"{turn.prompt}!"), *one.worse.record.turns[1:]]
        )
        assert to_pair(loaded, one, loaded.context, 2) is not None
        assert to_pair(loaded, one._replace(worse=one.worse._replace(record=changed)), loaded.context, 2) is None


def arguments(tiny, out, **more):
    given = {
        "model": f"hf:{tiny}",
        "out": str(out),
        "batch_size": 4,
        "steps": 2,
        "lr": 1e-2,
        "warmup": 0,
        "dtype": "float32",
    }
    return DPORecipe(**{**given, **more})


@pytest.fixture
def prepared(file, tiny, loaded, tmp_path):
    """A trainer on records, with what it learns from."""

    def made(**more):
        args = arguments(tiny, tmp_path, records=[file], **more)
        found = dpo.prepare_pairs(loaded, args, dpo.input_records(args))
        return dpo.fast_trainer(args, loaded, found), found

    return made


class TestLoss:
    def test_it_is_that_of_the_paper(self, prepared, loaded):
        """Rafailov et al. (2023), equation 7, with sums of log-probabilities from the whole model's logits."""
        trainer, found = prepared(beta=0.3)
        pair = found.pairs[found.order[0]]
        inputs = trainer.data_collator([{"place": found.order[0]}])
        inputs["ref_chosen_logps"], inputs["ref_rejected_logps"] = torch.tensor([-3.0]), torch.tensor([-2.5])

        def log_probability(side):
            logits = loaded.model(input_ids=torch.tensor([side.ids])).logits[0, :-1].log_softmax(-1)
            chosen = [logits[at, token].item() for at, token in enumerate(side.ids[1:]) if side.own_mask[at + 1]]
            return sum(chosen)

        with torch.no_grad():
            margin = (log_probability(pair.chosen) + 3.0) - (log_probability(pair.rejected) + 2.5)
            wanted = math.log(1 + math.exp(-0.3 * margin))
            assert trainer.compute_loss(trainer.model, inputs).item() == pytest.approx(wanted, rel=1e-4)

    def test_at_the_start_no_side_is_preferred(self, prepared):
        trainer, _ = prepared()
        batch = trainer.data_collator([{"place": place} for place in range(4)])
        with torch.no_grad():
            assert trainer.compute_loss(trainer.model, batch).item() == pytest.approx(math.log(2), rel=1e-4)

    def test_the_reference_does_not_depend_on_what_stands_beside_a_pair(self, prepared, loaded):
        _, found = prepared()
        pad = loaded.tokenizer.pad_token_id
        alone = reference_of(loaded.model, found.pairs[:5], pad, "float32", 1)
        together = reference_of(loaded.model, found.pairs[:5], pad, "float32", 5)
        assert all(isinstance(one, Reference) for one in alone)
        assert torch.tensor(alone).allclose(torch.tensor(together), atol=1e-3)

    @pytest.mark.slow
    def test_a_step_raises_the_margin(self, file, tiny, tmp_path):
        dpo.train_dpo(arguments(tiny, tmp_path, records=[file], steps=4))
        header, *rows = learning_curve(tmp_path)
        margins = [float(row[header.index("margin")]) for row in rows]
        assert margins[0] == pytest.approx(0, abs=1e-4)
        assert margins[-1] > 0.1

    @pytest.mark.slow
    def test_batches_in_parts_learn_the_same(self, file, tiny, tmp_path):
        for size in (4, 2):
            dpo.train_dpo(arguments(tiny, tmp_path / str(size), records=[file], micro_batch=size, lr=1e-3, steps=1))
        whole, parts = weights(tmp_path / "4"), weights(tmp_path / "2")
        assert all(whole[name].allclose(parts[name], atol=1e-4) for name in whole)

    @pytest.mark.parametrize("given", ["loss_type=ipo", "label_smoothing=0.1", "ld_alpha=0.5"])
    @pytest.mark.slow
    def test_other_losses_of_trl_can_be_chosen(self, prepared, given):
        trainer, _ = prepared(trl=[given])
        batch = trainer.data_collator([{"place": place} for place in range(2)])
        assert math.isfinite(trainer.compute_loss(trainer.model, batch).item())


OWN = {"matches": 4, "plays": 4, "param": SHORT, "constrained": True, "max_new_tokens": 24}
"""A training from its own matches."""

BREAKING = {**OWN, "steps": 3, "rollout_batch": 8, "micro_batch": 4, "lora": 2, "temperature": 2.0}
"""One that can be broken off."""


@pytest.fixture(scope="module")
def whole(taught, tmp_path_factory):
    """That one in one go, measured while it trained."""
    out = tmp_path_factory.mktemp("dpo") / "whole"
    return dpo.train_dpo(arguments(taught, out, **BREAKING, eval=2, checkpoint_every=3))


class TestTraining:
    @pytest.mark.slow
    def test_only_the_top_layers_change(self, file, tiny, tmp_path):
        dpo.train_dpo(arguments(tiny, tmp_path, records=[file], layers=1))
        before, after = weights(tiny), weights(tmp_path)
        moved = {name for name in before if not before[name].equal(after[name])}
        assert moved
        assert all("layers.1." in name or name.endswith("model.norm.weight") for name in moved)

    @pytest.mark.slow
    def test_it_learns_from_its_own_matches(self, whole, taught):
        assert len((whole / "plays.jsonl").read_text().splitlines()) == 16
        assert settings(whole)["method"] == "dpo"
        for folder in (whole, whole / "checkpoint-3"):
            card = (folder / "README.md").read_text()
            says(card, 3, "dpo")
            assert "| this model |" in card
        assert changed(weights(taught), weights(whole))
        record = econzoo.play("bargaining", [f"hf:{whole}", "random"], **SMALL)
        assert record.status == "finished"

    @pytest.mark.slow
    def test_after_a_break_it_goes_on_as_if_nothing_had_happened(self, whole, taught, tmp_path, monkeypatch):
        torn = tmp_path
        stop_after(monkeypatch, "econzoo.train.lm.dataset.play_samples", 1)
        with pytest.raises(RuntimeError, match="break"):
            dpo.train_dpo(arguments(taught, torn, **BREAKING))
        monkeypatch.undo()
        (torn / "plays.jsonl").open("a").write('{"format": 1, "torn')
        stop_after(monkeypatch, "econzoo.train.lm.dpo_trainer._trl_output", 1)
        with pytest.raises(RuntimeError, match="break"):
            dpo.train_dpo(arguments(taught, torn, **BREAKING, checkpoint_every=1, resume=True))
        monkeypatch.undo()
        assert (torn / "checkpoint-1").is_dir()
        dpo.train_dpo(arguments(taught, torn, **BREAKING, checkpoint_every=1, resume=True))
        assert not changed(weights(whole), weights(torn))

    def test_a_dry_run_tells_and_writes_nothing(self, tiny, tmp_path):
        table = dpo.dry_run(arguments(tiny, tmp_path / "none", **{**OWN, "matches": 8}, rollout_batch=16))
        rows = dict(table.rows)
        says(rows["playing"], 32)
        assert {"reference", "pairs", "memory", "time"} <= set(rows)
        assert not (tmp_path / "none").exists()

    def test_wrong_arguments(self, file, tiny, tmp_path):
        for wrong, *named in (
            ({"plays": 1}, "plays=1"),
            ({"beta": 0.0}, "beta=0.0"),
            ({"margin": -1.0}, "margin=-1.0"),
            ({"margin": 2.0, "records": "file"}, "margin", 2.0),
            ({"players": ["a"]}, "players"),
            ({"temperature": 0.0}, "temperature=0.0"),
            ({"opponents": ["greedy(0.9)"]}, "greedy(0.9)", "validation"),
            ({"trl": ["beta=1"]}, "beta", "--beta"),
            ({"trl": ["sync_ref_model=true"]}, "sync_ref_model"),
            ({"records": "file", "layers": 9}, "layers=9"),
        ):
            given = {name: [file] if value == "file" else value for name, value in wrong.items()}
            with refuses(ValueError, *named):
                dpo.train_dpo(arguments(tiny, tmp_path / "out", **given))


def stop_after(monkeypatch, name, times):
    """Lets the call after so many break off; those that measure without learning do not count."""
    module, _, attribute = name.rpartition(".")
    import importlib

    real, made = getattr(importlib.import_module(module), attribute), []

    def once(*args):
        made.extend([1] * torch.is_grad_enabled())
        if len(made) > times:
            raise RuntimeError("break")
        return real(*args)

    monkeypatch.setattr(name, once)
