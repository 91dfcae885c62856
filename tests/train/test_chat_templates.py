"""Play, fine-tuning and rollouts show a model the same tokens, whatever its chat template does to earlier turns."""

from __future__ import annotations

import copy
from pathlib import Path
from types import SimpleNamespace

import pytest

import econzoo
from econzoo.baselines import LanguageModelPlayer, ModelError
from econzoo.baselines.models import LoadedModel, TransformersChat
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.sft_trainer import tool_chat, tool_template, tool_tokens, tools
from econzoo.train.lm.tiny import make_tokenizer
from econzoo.train.lm.tokens import end_of_turn, sequences
from econzoo.train.lm.transcripts import transcript
from exhaustive import long_unless
from refusals import refuses

pytestmark = pytest.mark.models

PARAMS = {"money": 100.0, "horizon": 3, "messages": False}
SAID = ['{"kind":"offer","gain":90}', "Let me see.", '{"kind":"reject"}', '{"kind":"offer","gain":80}']
THOUGHT = "<think>\nI want more.\n</think>\n\n"

LAST = """\
{{- bos_token }}
{%- set rules = messages[0].content + '\\n\\n' if messages[0].role == 'system' else '' %}
{%- for turn in (messages[1:] if rules else messages) %}
    {%- if turn.role != ['user', 'assistant'][loop.index0 % 2] %}{{ raise_exception('roles take turns') }}{% endif %}
    {%- if turn.role == 'user' %}[INST] {{ rules if loop.last else '' }}{{ turn.content }}[/INST]
    {%- else %} {{ turn.content }}{{ eos_token }}
    {%- endif %}
{%- endfor %}"""
"""The rules stand in the last message of the user, as Mistral's models have it."""

BAR = "\uff5c"

ENDS = {
    "qwen": "<|im_end|>",
    "gemma": "<end_of_turn>",
    "gemma4": "<eos>",
    "llama3": "<|eot_id|>",
    "phi3": "<|end|>",
    "deepseek": f"<{BAR}end▁of▁sentence{BAR}>",
    "gptoss": "<|return|>",
    "cohere": "<|END_OF_TURN_TOKEN|>",
    "glm": "<|user|>",
    "lfm": "<|im_end|>",
    "nemotron": "<|im_end|>",
    "mistral": "</s>",
    "none": "</s>",
}
"""Beginnings of templates' names to the tokenizer's token of the end; the longest one counts."""

TEMPLATES = [
    *("qwen2_5", "qwen3", "qwen3_instruct_2507", "qwen3_5_think", "qwen3_5_nothink", "qwen3_8", "gemma", "gemma3"),
    *("gemma4", "llama3", "llama3_1", "llama3_2", "phi3", "phi3_5", "deepseek_r1_distill", "deepseekv3", "gptoss"),
    *("cohere", "cohere2", "glm4moe", "lfm2", "nemotron_3_nano", "mistral", "none"),
]

IN_SHORT = {"qwen3", "deepseek_r1_distill", "gptoss", "mistral"}
"""One of each way in which templates differ."""

REWRITING = {
    *(
        "qwen3_5_think",
        "qwen3_5_nothink",
        "qwen3_8",
        "deepseek_r1_distill",
        "deepseekv3",
        "gptoss",
        "cohere2",
        "glm4moe",
    ),
    *("nemotron_3_nano", "mistral", "none"),
}
"""Those that render earlier turns or their ends differently; qwen3 does only where there were thoughts."""

MARKUP = [
    "<s>",
    "<bos>",
    "<eos>",
    "<start_of_turn>",
    "<|turn>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|assistant|>",
    "<|system|>",
    f"<{BAR}begin▁of▁sentence{BAR}>",
    f"<{BAR}User{BAR}>",
    f"<{BAR}Assistant{BAR}>",
    "<|start|>",
    "<|end|>",
    "<|channel|>",
    "<|message|>",
    "[INST]",
    "[/INST]",
    "<|START_OF_TURN_TOKEN|>",
    "[gMASK]",
    "<turn|>",
    "<|tool_response>",
    "<sop>",
]
"""What templates have beside ends of turns."""


class Silent(SimpleNamespace):
    """In the place of the model, which is never asked."""

    training, device = False, SimpleNamespace(type="cpu")

    def eval(self):
        pass

    def train(self, mode):
        pass


@pytest.fixture(scope="module")
def loaded_with():
    """A tokenizer with a template, and all markup that any of them has."""
    env = econzoo.make("bargaining", face="chat", **PARAMS)
    env.reset(seed=0)
    plain = make_tokenizer([*SAID, *(env.observe(agent)["text"] for agent in env.agents)] * 9, 500)
    plain.add_special_tokens({"additional_special_tokens": sorted({*MARKUP, *ENDS.values()})})
    plain.add_tokens(["<think>", "</think>", "<tool_call>", "</tool_call>"])
    made = {}

    def load(name):
        if name not in made:
            tokenizer = copy.deepcopy(plain)
            tokenizer.bos_token = "<s>" if name == "mistral" else "<bos>"
            tokenizer.eos_token = ENDS[max((one for one in ENDS if name.startswith(one)), key=len)]
            tokenizer.chat_template = (
                {"mistral": LAST, "none": None}[name] if name in TEMPLATES[-2:] else installed(name)
            )
            more = {"<turn|>", "<|tool_response>"} if name == "gemma4" else set()
            stops = frozenset(tokenizer.convert_tokens_to_ids([tokenizer.eos_token, *more]))
            made[name] = LoadedModel(Silent(), tokenizer, stops, 10**5)
        return made[name]

    return load


def installed(name):
    """A template that the installed TRL has."""
    trl = pytest.importorskip("trl")
    file = Path(trl.__file__).parent / "chat_templates" / f"{name}.jinja"
    if not file.exists():
        pytest.skip(f"this TRL has no template {name}")
    return file.read_text(encoding="utf-8")


@pytest.fixture
def scripted(monkeypatch):
    """Whoever samples gets the same replies, turn by turn; the prompts that are asked are taken down."""

    def begin(loaded, thought, said=SAID):
        said, asked = iter(said), []

        def generate(reader, rows, **_):
            for row in rows:
                asked.append(list(row.prompt))
                row.start()
                opened = loaded.tokenizer.decode(row.prompt).endswith("<think>\n")
                text = thought.removeprefix("<think>\n" if opened else "") + next(said)
                for token in [*loaded.encode_reply(text), end_of_turn(loaded)]:
                    if not row.is_done:
                        row.take_token(token, loaded.stop_tokens)

        for module in ("econzoo.baselines.models.transformers_chat", "econzoo.train.lm.rollout"):
            monkeypatch.setattr(f"{module}.generate", generate)
        return asked

    return begin


def played(loaded, asked, limit=400):
    """Prompts in play, its chat and its record."""
    chat = TransformersChat("one-in-memory", constrained=False, max_new_tokens=limit)
    chat.load = lambda: loaded
    player = LanguageModelPlayer("m", chat)
    record = econzoo.play("bargaining", [player, "greedy(0.8)"], 0, **PARAMS)
    return asked, player.transcript, record


def sampled(loaded, limit=400):
    drawn = make_specs("bargaining", [0], [0], ["greedy(0.8)"], **PARAMS)
    return play_samples(Policy(loaded, max_new_tokens=limit), drawn, PlayerCache("bargaining"))[0]


def prompts(parts):
    return [part.ids[:start] for part in parts for start in part.starts]


@pytest.mark.parametrize("thought", ["", THOUGHT], ids=["plain", "thoughts"])
@pytest.mark.parametrize("name", long_unless(IN_SHORT.__contains__, TEMPLATES, "slow"))
def test_play_and_fine_tuning_and_rollouts_show_the_same_tokens(loaded_with, name, thought, scripted):
    """Turn by turn, with the same masks, and in as many sequences as the template needs."""
    loaded = loaded_with(name)
    asked, chat, record = played(loaded, scripted(loaded, thought))
    assert [turn.error is None for turn in record.turns if turn.seat == 0] == [True, False, True, True]
    scripted(loaded, thought)
    sample, learned = sampled(loaded), sequences(loaded, chat, 10**5)
    assert prompts(learned) == asked
    assert [(one.ids, one.own_mask) for one in sample.sequences] == [(one.ids, one.own_mask) for one in learned]
    wrote = [sample.completion[span.begin : span.end] for span in sample.spans]
    assert [loaded.text(one) for one in wrote] == [turn.reply for turn in sample.turns]
    assert [one for one, own in zip(sample.completion, sample.own_mask, strict=True) if own] == [
        one for reply in wrote for one in reply
    ]
    alone = transcript(record, 0)
    replies = [at for at, message in enumerate(alone) if message["role"] == "assistant"]
    assert prompts(sequences(loaded, alone, 10**5)) == [loaded.encode(alone[:at]) for at in replies]
    assert len(learned) == (len(asked) if thought and name == "qwen3" else len(asked) if name in REWRITING else 1)


def test_a_reply_that_is_cut_is_told_of_as_in_play(loaded_with, scripted):
    loaded, long = loaded_with("qwen2_5"), ["I accept, or I do not, as it were."] * 3
    asked, _, record = played(loaded, scripted(loaded, "", long), 8)
    scripted(loaded, "", long)
    sample = sampled(loaded, 8)
    assert [turn.error[0] for turn in record.turns] == ["cut"] * 3
    assert [turn.error for turn in sample.turns] == [turn.error for turn in record.turns]
    (one,) = sample.sequences
    assert prompts([one]) == asked


def test_a_chat_that_a_template_refuses_is_told_in_one_line(loaded_with):
    chat = [{"role": "user", "content": "Round 1."}] * 2
    with refuses(ModelError, "chat template", "roles take turns"):
        loaded_with("mistral").encode(chat)


CALLERS = {
    **dict.fromkeys(("qwen2_5", "qwen3", "qwen3_instruct_2507", "qwen3_5_think", "qwen3_5_nothink", "qwen3_8"), True),
    **{
        "gemma4": True,
        "llama3_1": True,
        "llama3_2": True,
        "gptoss": True,
        "deepseekv3": False,
        "nemotron_3_nano": False,
    },
}
"""Templates with tools, and whether calls begin as the template opens answers."""


@pytest.mark.parametrize("name", long_unless(("qwen3", "gptoss", "llama3_1").__contains__, CALLERS, "slow"))
def test_fine_tuning_and_trls_loop_show_the_same_calls(loaded_with, name):
    """The whole dialogue is one sequence, of which every call is learned, with arguments that TRL reads back."""
    from trl import GRPOTrainer

    loaded = loaded_with(name)
    record = econzoo.play("bargaining", ["greedy(0.7)", "greedy(0.8)"], 0, **PARAMS)
    if not CALLERS[name]:
        with pytest.raises((ValueError, ModelError), match=r"chat template rejects|expected chat"):
            tool_tokens(loaded, record, 0, 10**5)
        return
    (learned,) = tool_tokens(loaded, record, 0, 10**5)
    chat = tool_chat(record, 0)
    asked, trainer = tools("bargaining"), SimpleNamespace(_is_vlm=False, chat_template_kwargs={})
    trainer.processing_class = trainer._tokenizer = loaded.tokenizer
    trainer.chat_template, trainer.eos_token_ids = tool_template(loaded.tokenizer), list(loaded.stop_tokens)
    text = loaded.render(chat[:1], tools=asked, chat_template=trainer.chat_template)
    ids, replies = loaded.tokenizer(text, add_special_tokens=False)["input_ids"], iter(replies_of(learned))
    for at, message in enumerate(chat[1:], start=1):
        result = {**message, "name": chat[at - 1].get("tool_calls", [{}])[0].get("function", {}).get("name")}
        ids += next(replies) if message["role"] == "assistant" else GRPOTrainer._get_tool_suffix_ids(trainer, [result])
    assert ids == learned.ids
    called = loaded.tokenizer.decode(replies_of(learned)[0])
    assert "70" in called
    assert "\\" not in called


def replies_of(tokens):
    """The stretches that are learned."""
    own = tokens.own_mask
    ends = [next((at for at in range(start, len(own)) if not own[at]), None) for start in tokens.starts]
    return [tokens.ids[start:end] for start, end in zip(tokens.starts, ends, strict=True)]


FAMILIES = {
    "LFM2": "lfm2",
    "Qwen 2.5": "qwen2_5",
    "Qwen 3 Instruct 2507": "qwen3_instruct_2507",
    "Gemma 4": "gemma4",
    "Llama 3.1": "llama3_1",
    "Llama 3.2": "llama3_2",
    "Gemma": "gemma",
    "Gemma 3": "gemma3",
    "Llama 3": "llama3",
    "Phi 3": "phi3",
    "Phi 3.5": "phi3_5",
    "Aya Expanse": "cohere",
    "Qwen 3": "qwen3",
    "Qwen 3.5": "qwen3_5_think",
    "Qwen 3.8": "qwen3_8",
    "gpt-oss": "gptoss",
    "GLM 4 MoE": "glm4moe",
    "Nemotron 3 Nano": "nemotron_3_nano",
    "DeepSeek R1": "deepseek_r1_distill",
    "DeepSeek V3": "deepseekv3",
    "Cohere 2": "cohere2",
    "Mistral 7B": "mistral",
    "none": "none",
}
"""As the page calls them."""


def test_the_page_says_of_each_template_what_is_shown_here():
    page = (Path(__file__).resolve().parents[2] / "docs" / "training_language_models.md").read_text(encoding="utf-8")
    table = page.partition("| template |")[2].partition("\n\n")[0].splitlines()[2:]
    told = {}
    for line in table:
        names, parts, *_, alone, tools = (cell.strip() for cell in line.strip("|").split("|"))
        told |= {name.strip(): (parts, alone, tools) for name in names.split(",")}
    assert set(told) == {"SmolLM2", *FAMILIES}
    for family, name in FAMILIES.items():
        parts, alone, tools = told[family]
        assert parts.startswith("one for each turn") == (name in REWRITING), family
        assert alone == ("no" if name in REWRITING else "without thoughts" if name == "qwen3" else "yes"), family
        assert (tools == "yes") == CALLERS.get(name, False), family
