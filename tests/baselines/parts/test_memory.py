"""What the model reads of the past under each memory, and what it can look up."""

from __future__ import annotations

import json

import econzoo
from econzoo.baselines import LanguageModelPlayer
from econzoo.baselines.models import FunctionChat
from econzoo.baselines.parts import Full, Memory, Parts, Retrieve, Summary, Table, Window
from refusals import refuses, says
from toy_games import LOWEST_BID, register_temporarily

ROUNDS = 5


def declining(conversation, schema, seed):
    """A buyer that buys in the first round, and writes numbered notes if it is asked for text."""
    if schema is None:
        return f"notes after {conversation[-1]['content'].count('Round ')} lines"
    return '{"kind": "buy"}' if "word 1" in conversation[-1]["content"] else '{"kind": "decline"}'


def played(memory, answer=declining, rounds=ROUNDS, **params):
    """The player and the record of a match of persuasion with this memory, as buyer."""
    buyer = LanguageModelPlayer("m", FunctionChat(answer), parts=Parts(memory=memory))
    seller = "mock:" + "|".join(json.dumps({"kind": "say", "message": f"word {i}"}) for i in range(1, rounds + 1))
    return buyer, econzoo.play("persuasion", [seller, buyer], rounds=rounds, **params)


def moves_asked(buyer):
    """The conversations in which the player was asked for a move."""
    return [asked.conversation for asked in buyer.model.questions if asked.schema is not None]


def rounds_in(conversation):
    """Which of the seller's words stand in a conversation."""
    text = "\n".join(message["content"] for message in conversation)
    return [i for i in range(1, ROUNDS + 1) if f"word {i}" in text]


def test_how_far_back_the_model_reads():
    for memory, last_round_reads in [
        (Full(), [1, 2, 3, 4, 5]),
        (Window(0), [5]),
        (Window(1), [4, 5]),
        (Window(3), [2, 3, 4, 5]),
        (Window(99), [1, 2, 3, 4, 5]),
        (Retrieve(2), [3, 4, 5]),
        (Summary(), [5]),
        (Table(), [1, 2, 3, 4, 5]),
    ]:
        buyer, record = played(memory)
        assert record.status == "finished", (memory, last_round_reads)
        assert rounds_in(moves_asked(buyer)[-1]) == last_round_reads, (memory, last_round_reads)


def test_a_conversation_has_the_rules_first_and_turns_that_alternate():
    for memory in (Full(), Window(1), Retrieve(2), Summary(), Table()):
        buyer, record = played(memory)
        for conversation in moves_asked(buyer):
            assert conversation[0]["role"] == "system", memory
            assert conversation[0]["content"].startswith(record.rules[1]), memory
            assert [m["role"] for m in conversation[1:]] == (["user", "assistant"] * 9)[: len(conversation) - 1], memory
            assert conversation[-1]["role"] == "user", memory


def test_whatever_is_remembered_the_result_of_the_last_round_is_read():
    for memory in (Full(), Window(0), Summary(), Table()):
        buyer, record = played(memory)
        for number, conversation in enumerate(moves_asked(buyer)[1:], start=2):
            last = record.turns[2 * number - 1].prompt.splitlines()[0]
            assert last.startswith(f"Round {number - 1}: you"), memory
            assert last in conversation[-1]["content"], memory


def test_the_transcript_is_whole_under_every_memory():
    for memory in (Full(), Window(0), Retrieve(0), Table(), Summary()):
        buyer, record = played(memory)
        own = [text for turn in record.turns if turn.seat == 1 for text in (turn.prompt, turn.reply)]
        assert [message["content"] for message in buyer.transcript[1:]] == own


def test_a_summary_is_one_call_for_every_round_before_and_takes_its_place():
    buyer, record = played(Summary())
    own = [turn for turn in record.turns if turn.seat == 1]
    assert [len(turn.calls) for turn in own] == [0, 1, 1, 1, 1]
    assert {call["purpose"] for turn in own for call in turn.calls} == {"summary"}
    for turn, conversation in zip(own[1:], moves_asked(buyer)[1:], strict=True):
        assert turn.calls[0]["reply"] in conversation[-1]["content"]
    second = own[2].calls[0]
    assert own[1].calls[0]["reply"] in second["prompt"], "new notes are made from the old ones"
    assert "word 2" in second["prompt"]
    assert "word 1" not in second["prompt"]


def test_notes_do_not_pass_from_one_match_to_another():
    buyer, _ = played(Summary())
    notes = buyer.memory.notes
    assert notes
    econzoo.play("persuasion", ["mock:*", buyer], rounds=1)
    assert buyer.memory.notes == ""


def test_a_table_has_a_line_a_round_and_what_came_to_light():
    buyer, record = played(Table())
    text = moves_asked(buyer)[-1][-1]["content"]
    rows = [line for line in text.splitlines() if line[:1].isdigit()]
    assert len(rows) == ROUNDS - 1
    for number, row in enumerate(rows):
        quality = "high" if record.chance[number] else "low"
        assert f"word {number + 1}" in row
        assert f"it was of {quality} quality" in row
        assert record.turns[2 * number + 1].action["kind"] in row


def test_a_myopic_buyer_remembers_its_own_round_only():
    """The one who buys today never met the others: no memory may tell it of them."""
    for memory in (Full(), Window(9), Table(), Summary()):
        buyer, _ = played(memory, buyer="myopic")
        assert [rounds_in(conversation) for conversation in moves_asked(buyer)] == [[i] for i in range(1, ROUNDS + 1)]


def test_days_and_players_can_be_looked_up_under_every_memory():
    for memory in (Full(), Window(0), Summary(), Table(), Retrieve(0)):
        recall = played(memory)[0].memory.recall
        assert len(recall()) == 2 * ROUNDS - 1  # all but the last decision, which came after the last question
        says(recall(day=2)[0], 2, "Alice", '"word 2"')
        assert recall(day=2, player="Bob")[0].startswith("Round 2: you ")
        assert len(recall(player="alice")) == ROUNDS
        assert recall(player=0) == recall(player="Alice")
        assert recall(day=77) == []


def test_a_day_or_player_that_is_none_is_refused():
    for asked, *named in [
        ({"day": 0}, "day=0", 1),
        ({"day": "one"}, "day='one'", 1),
        ({"day": True}, "day=True", 1),
        ({"player": "Zoe"}, "player 'Zoe'", "Alice, Bob"),
        ({"player": 2}, "player 2", "Alice, Bob"),
    ]:
        memory = played(Full())[0].memory
        with refuses(ValueError, *named):
            memory.recall(**asked)


def test_nothing_can_be_recalled_before_a_match():
    with refuses(ValueError):
        Window(1).recall(day=1)


def test_a_model_looks_an_earlier_day_up_with_the_tool():
    def curious(conversation, schema, seed):
        if "Result of recall" in conversation[-1]["content"]:
            return '{"kind": "buy"}'
        return '{"tool": "recall", "arguments": {"day": 1, "player": "Alice"}}'

    buyer, record = played(Retrieve(0), curious)
    last = record.turns[-1]
    assert [call["purpose"] for call in last.calls] == ["tool"]
    assert "word 1" not in last.prompt
    says(buyer.model.questions[-1].conversation[-1]["content"], "recall", 1, "Alice", '"word 1"')
    first = record.turns[1]
    assert first.action == {"kind": "buy"}


def test_an_own_memory_is_a_class_with_one_function():
    class Goldfish(Memory):
        def conversation(self, diary):
            return diary.transcript[-1:]

    buyer, record = played(Goldfish())
    assert [len(conversation) for conversation in moves_asked(buyer)] == [1] * ROUNDS
    assert record.status == "finished"


def test_a_memory_that_needs_to_know_says_so():
    buyer = LanguageModelPlayer("m", FunctionChat(declining), parts=Parts(memory=Window(1)))
    env = econzoo.make("bargaining", face="chat")
    env.reset(seed=1)
    from econzoo.wrappers import seat_info

    buyer.reset(0, seat_info(env.unwrapped, 0), 1)
    with refuses(ValueError, "info['seen']"):
        buyer.act(env.observe("player_0"), {})


def test_memories_work_where_all_move_at_once():
    def bid(conversation, schema, seed):
        return "I lost." if schema is None else '{"bid": 3}'

    with register_temporarily(LOWEST_BID):
        for memory in (Window(1), Summary(), Table(), Retrieve(1)):
            one = LanguageModelPlayer("m", FunctionChat(bid), parts=Parts(memory=memory))
            record = econzoo.play("lowest_bid", [one, "mock:*", "mock:*"])
            assert record.status == "finished"
