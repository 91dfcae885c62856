"""Imported games as training data for language models, of all three families, with all their words."""

from __future__ import annotations

import json

import pytest
from glee_files import bargaining, negotiation, persuasion, with_person

from econzoo.envs.core.contract import Objective
from econzoo.evaluate.formats.glee.importing import import_folder
from econzoo.train.lm.transcripts import load_records, select, transcripts

LONG = "m" * 700


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    bargain = ((60.0, 40.0, "Hi"), "reject", (45.0, 55.0, LONG), "accept")
    with_person(bargaining(*bargain)).save(root, "00AA")
    with_person(negotiation((12_000, "For you!"), "RejectOffer", 9_000, "SellToJhon")).save(root, "00BB")
    rounds = [("high", "It is good.", "yes"), ("low", "Also good.", "yes"), ("low", "1000", "no")]
    with_person(persuasion(*rounds, binary=False)).save(root, "00CC")
    persuasion(*rounds, binary=False, myopic=True).save(root, "DDDD")
    import_folder(root, root / "glee.jsonl")
    return root / "glee.jsonl"


def learned(file, player):
    """What is learned from a player: by game, the replies of each transcript."""
    chosen = select(load_records([file]), Objective("self_gain"), 1.0, players=[player])
    found = {}
    for one in chosen:
        for chat in transcripts(one.record, one.seat, decimals=2):
            assert [m["role"] for m in chat[:2]] == ["system", "user"]
            replies = [json.loads(m["content"]) for m in chat if m["role"] == "assistant"]
            found.setdefault((one.record.game, one.seat), []).append(replies)
    return found


def test_a_persons_decisions_with_words(file):
    assert learned(file, "human") == {
        ("bargaining", 0): [[{"kind": "offer", "gain": 60, "message": "Hi"}, {"kind": "accept"}]],
        ("negotiation", 0): [[{"kind": "offer", "price": 12000, "message": "For you!"}, {"kind": "opt_out"}]],
        ("persuasion", 0): [[{"kind": "say", "message": text} for text in ("It is good.", "Also good.", "1000")]],
    }


def test_a_models_decisions_and_what_it_read(file):
    found = learned(file, "gemini-1.5-flash")
    assert found["bargaining", 1] == [[{"kind": "reject"}, {"kind": "offer", "gain": 55, "message": LONG}]]
    assert found["persuasion", 1] == [[{"kind": "buy"}, {"kind": "buy"}, {"kind": "decline"}]]
    (one,) = select(load_records([file]), Objective("self_gain"), 1.0, [0], ["human"])[:1]
    assert LONG in transcripts(one.record, 0)[0][-2]["content"]


def test_every_myopic_buyer_is_one_transcript(file):
    assert learned(file, "gpt-4o")["persuasion", 1] == [[{"kind": "buy"}], [{"kind": "buy"}], [{"kind": "decline"}]]


@pytest.mark.slow
@pytest.mark.models
def test_the_tokens_that_are_learned_are_those_decisions(file, tmp_path):
    pytest.importorskip("trl")
    from econzoo.train.lm.model import load_for_training
    from econzoo.train.lm.sft import SFTRecipe, to_sequences
    from econzoo.train.lm.tiny import TinyArgs, build

    sizes = {"hidden": 32, "layers": 1, "vocabulary": 600, "context": 2048}
    model = f"hf:{build(TinyArgs([str(file)], str(tmp_path / 'tiny'), **sizes))}"
    loaded = load_for_training(model)
    args = SFTRecipe([str(file)], model=model, keep=1.0, players=["human"], max_length=2048)
    chosen = select(load_records(args.records), Objective(args.objective), args.keep, None, tuple(args.players))
    texts = []
    for tokens in [tokens for one in chosen for tokens in to_sequences(loaded, one, args, (), ())]:
        own = [token for token, mine in zip(tokens.ids, tokens.own_mask, strict=True) if mine]
        texts.append(loaded.tokenizer.decode(own, skip_special_tokens=True))
    chats = [chat for chats in learned(file, "human").values() for chat in chats]
    assert texts == ["".join(json.dumps(reply, separators=(",", ":")) for reply in chat) for chat in chats]
