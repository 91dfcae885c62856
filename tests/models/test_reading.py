"""What a model has read is not read again, and nobody can tell from its replies."""

from __future__ import annotations

import copy

import pytest
from move_schema import MOVE

from econzoo.baselines.models import LoadedModel, Reader, Row, TransformersChat, generate, load
from econzoo.baselines.models.key_values import layout_of
from exhaustive import long_unless
from later import Later

torch, transformers = Later("torch"), Later("transformers")
pytestmark = pytest.mark.models

SIZES = {
    "vocab_size": 128,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256, "vocab_size": 128, "initializer_range": 0.3}
WINDOW = {"sliding_window": 16}

KEPT = {
    "rotary positions, grouped heads, tied weights": ("LlamaConfig", {**SIZES, "tie_word_embeddings": True}),
    "as many heads of keys as of queries": ("LlamaConfig", {**SIZES, "num_key_value_heads": 4}),
    "learned positions": ("GPT2Config", GPT2),
    "normalised heads": ("Qwen3Config", SIZES),
    "biases": ("Qwen2Config", SIZES),
    "a window": ("MistralConfig", {**SIZES, **WINDOW}),
    "a window in every other layer": ("Gemma2Config", {**SIZES, **WINDOW}),
}
ANEW = {
    "rotary positions whose scale hangs on the length": (
        "LlamaConfig",
        {**SIZES, "rope_parameters": {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 2.0}},
    ),
    "positions added to the scores": ("BloomConfig", {**GPT2, "hidden_size": 32, "n_head": 4}),
    "a recurrent state": ("Lfm2Config", {**SIZES, "layer_types": ["conv", "full_attention"], "conv_L_cache": 3}),
}


def made(kind):
    """A model of random weights."""
    name, options = {**KEPT, **ANEW}[kind]
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**options)).eval()
    model.generation_config = transformers.GenerationConfig(pad_token_id=0)
    return model


def prompts():
    """Three turns of four matches: the same rules, of different lengths from then on."""
    source = torch.Generator().manual_seed(1)

    def words(count):
        return torch.randint(3, 128, (count,), generator=source).tolist()

    rules, chats = words(70), []
    for match in range(4):
        chats.append(rules + (words(20) if match != 3 else chats[0][70:75]))
    turns = [[list(chat) for chat in chats]]
    for _ in range(2):
        chats = [[*chat, *words(3 + 5 * match)] for match, chat in enumerate(chats)]
        turns.append(chats)
    return turns


def replies(reader, turn, kept=2048):
    rows = [Row(prompt, 0, 4 + number) for number, prompt in enumerate(turn)]
    generate(reader, rows, temperature=0, stops=(), cache_limit=kept)
    return [row.tokens for row in rows]


def alone(model, prompt, limit):
    """What transformers itself writes when it reads nothing but this prompt."""
    out = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=limit, min_new_tokens=limit)
    return out[0, len(prompt) :].tolist()


IN_SHORT = ("rotary positions, grouped heads, tied weights", "a recurrent state")


@pytest.mark.parametrize("kind", long_unless(IN_SHORT.__contains__, [*KEPT, *ANEW], "slow"))
def test_replies_are_those_of_a_model_that_reads_everything_alone(kind):
    model = made(kind)
    reader = Reader(model)
    for turn in prompts():
        wanted = [alone(model, prompt, 4 + number) for number, prompt in enumerate(turn)]
        assert replies(reader, turn) == wanted


def test_states_are_kept_by_token():
    for kind in KEPT:
        with torch.inference_mode():
            assert layout_of(made(kind)) is not None, kind


def test_other_states_are_not_kept():
    for kind in ANEW:
        with torch.inference_mode():
            assert layout_of(made(kind)) is None, kind


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
def test_every_attention_with_a_mask_will_do(implementation):
    model = made("rotary positions, grouped heads, tied weights")
    wanted = replies(Reader(model), prompts()[1])
    model.set_attn_implementation(implementation)
    assert replies(Reader(model), prompts()[1]) == wanted


@pytest.fixture
def chat(tiny_path):
    return TransformersChat(str(tiny_path), temperature=1.0, max_new_tokens=12)


@pytest.fixture
def read(tiny_path):
    """Counts the tokens that go through the model, one number for each pass."""
    loaded, counts = load(str(tiny_path)), []
    loaded.reader.forget()

    def count(module, args, options):
        counts.append(options["input_ids"].numel())

    hook = loaded.model.register_forward_pre_hook(count, with_kwargs=True)
    yield counts
    hook.remove()
    loaded.reader.forget()


def talk(number, turns):
    chat = [{"role": "system", "content": "You divide 10000 dollars with another player. " * 4}]
    for turn in range(turns):
        chat += [{"role": "assistant", "content": f"No, {turn}."}] * bool(turn)
        chat += [{"role": "user", "content": f"Match {number}, round {turn}. It is your turn."}]
    return chat


def answers(chat, turns, schema=None):
    return chat.complete([talk(n, turns) for n in range(6)], [schema] * 6, range(6))


@pytest.mark.parametrize("schema", [None, MOVE])
def test_a_match_goes_on_where_it_was(chat, read, schema):
    kept = [answers(chat, turns, schema) for turns in (1, 2, 3)]
    tokens, prompts_of_the_last = sum(read), sum(reply.prompt_tokens for reply in kept[2])
    read.clear()
    chat.cache, anew = 0, []
    for turns in (1, 2, 3):
        chat.load().reader.forget()
        anew.append(answers(chat, turns, schema))
    assert [[reply.text for reply in turn] for turn in kept] == [[reply.text for reply in turn] for turn in anew]
    assert [[reply.prompt_tokens for reply in turn] for turn in kept] == [[r.prompt_tokens for r in t] for t in anew]
    assert tokens < sum(read) < prompts_of_the_last * 3


def test_rules_are_read_once_for_all_matches(chat, read):
    chat.max_tokens = 1
    rules = chat.complete([talk(0, 1)], [None], [0])[0].prompt_tokens
    alone = sum(read)
    read.clear()
    chat.load().reader.forget()
    answers(chat, 1)
    assert alone == rules
    assert sum(read) < 6 * alone / 2


def test_new_weights_read_anew(tiny_path):
    own = copy.deepcopy(load(str(tiny_path)).model)
    loaded = LoadedModel.from_model(own, load(str(tiny_path)).tokenizer)
    turn = [loaded.encode(talk(n, 2)) for n in range(3)]
    before = replies(loaded.reader, turn)
    with torch.no_grad():
        own.model.layers[0].self_attn.v_proj.weight.mul_(-1)
    after = replies(loaded.reader, turn)
    assert after == replies(Reader(own), turn) != before


@pytest.mark.parametrize("cache", [0, 1])
def test_memory_is_bounded(tiny_path, read, cache):
    chat = TransformersChat(str(tiny_path), max_new_tokens=2, cache=cache)
    for start in range(0, 160, 20):
        chats = [talk(start + n, 2)[1:] for n in range(20)]
        tokens = sum(reply.prompt_tokens for reply in chat.complete(chats, [None] * 20, range(20)))
    assert 8 * tokens * 2 * 2 * 2 * 8 * 4 > 2 * 2**20  # layers, keys and values, heads, size of a head, bytes
    assert cache * 2**19 <= chat.load().reader.bytes <= cache * 2**20


def test_a_negative_cache_is_named():
    with pytest.raises(ValueError, match="invalid cache=-1"):
        TransformersChat("anything", cache=-1)
