"""The fast path: the same losses and gradients as the plain way, of less arithmetic."""

from __future__ import annotations

import pytest
from lm_world import build_tiny, write_records

from econzoo.baselines.models import dtype as lm_dtype
from econzoo.train.lm.model import batch_of, depth, label_log_probabilities, train_top_layers
from econzoo.train.lm.tokens import IGNORED, Tokens
from later import Later

torch = Later("torch")
pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("fast")
    return build_tiny(place / "tiny", write_records(place / "r.jsonl", [("fair", "fair")], 1), layers=3)


@pytest.fixture
def model(folder):
    from econzoo.train.lm.model import load_for_training

    return load_for_training(f"hf:{folder}").model


def written(*parts: tuple[str, int, float]) -> Tokens:
    tokens, first = Tokens(), 5
    for kind, count, weight in parts:
        ids = list(range(first, first + count))
        tokens.write(ids, weight=weight) if kind == "write" else tokens.read(ids)
        first += count
    return tokens


@pytest.fixture
def batch():
    rows = [
        written(("read", 9, 0), ("write", 3, 1.0), ("read", 4, 0), ("write", 2, 2.5)),
        written(("read", 5, 0), ("write", 4, 1.0)),
    ]
    return batch_of(rows, pad=0)


def plain_log_probabilities(model, batch):
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits[:, :-1].float()
    labels = batch["labels"][:, 1:]
    found = torch.log_softmax(logits, -1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return found[labels != IGNORED]


def test_log_probabilities_of_the_labels_are_those_of_the_whole_model(model, batch):
    found = label_log_probabilities(model, batch)
    assert torch.allclose(found.log_probabilities, plain_log_probabilities(model, batch), atol=1e-5)
    assert found.weights.tolist() == [1, 1, 1, 2.5, 2.5, 1, 1, 1, 1]
    assert (found.entropies > 0).all()


def test_the_head_is_computed_at_labels_only(model, batch):
    rows = []
    model.get_output_embeddings().register_forward_hook(lambda module, given, made: rows.append(made.shape[0]))
    label_log_probabilities(model, batch)
    assert rows == [9]


@pytest.mark.parametrize("layers", [1, 2])
def test_the_top_layers_get_the_gradients_that_they_have_when_all_learn(model, batch, layers):
    label_log_probabilities(model, batch).log_probabilities.sum().backward()
    whole = {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}
    model.zero_grad(set_to_none=True)
    train_top_layers(model, layers)
    label_log_probabilities(model, batch).log_probabilities.sum().backward()
    top = {name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None}
    learned = {f"layers.{number}." for number in range(depth(model) - layers, depth(model))}
    assert {part for part in learned for name in top if part in name} == learned
    assert not any(f"layers.{number}." in name for name in top for number in range(depth(model) - layers))
    assert all(torch.allclose(grad, whole[name], atol=1e-6) for name, grad in top.items())


def test_layers_below_need_no_gradient_at_all(model, batch):
    train_top_layers(model, 1)
    kept = []
    for layer in list(model.get_decoder().layers)[:-1]:
        layer.register_forward_hook(lambda module, given, made: kept.append(made.requires_grad))
    label_log_probabilities(model, batch)
    assert kept == [False, False]


def test_all_learn_again_after_some_did(model):
    train_top_layers(model, 1)
    train_top_layers(model, 0)
    assert all(weight.requires_grad for weight in model.parameters())


def test_bfloat16_says_nearly_the_same(model, batch):
    exact, rough = (label_log_probabilities(model, batch, dtype).log_probabilities for dtype in ("float32", "bfloat16"))
    assert torch.allclose(exact, rough, atol=0.1)
    assert rough.dtype == torch.float32


class TestTheTypeOfTheArithmetic:
    @pytest.fixture(autouse=True)
    def own_cache(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    @pytest.mark.parametrize("faster", ["float32", "bfloat16"])
    def test_is_measured_once_and_told(self, monkeypatch, faster):
        measured, told = [], []
        seconds = {"float32": 2.0, "bfloat16": 2.0, faster: 1.0}
        monkeypatch.setattr(lm_dtype, "measure_dtype", lambda name: measured.append(name) or seconds[name])
        assert [lm_dtype.fastest_dtype("auto", "cpu", told.append) for _ in range(2)] == [faster, faster]
        assert measured == ["float32", "bfloat16"]
        assert "2.0 times" in told[0]
        assert "cached in" in told[1]

    def test_is_what_was_asked_for(self, monkeypatch):
        monkeypatch.setattr(lm_dtype, "measure_dtype", lambda name: pytest.fail("measures"))
        assert lm_dtype.fastest_dtype("float32", "cpu") == "float32"
        assert lm_dtype.fastest_dtype("auto", "cuda") == "bfloat16"

    def test_a_damaged_file_is_measured_anew(self, monkeypatch):
        monkeypatch.setattr(lm_dtype, "measure_dtype", lambda name: 1.0 if name == "bfloat16" else 2.0)
        lm_dtype.cache_file().parent.mkdir(parents=True)
        lm_dtype.cache_file().write_text("{not JSON")
        assert lm_dtype.fastest_dtype("auto", "cpu", str) == "bfloat16"

    @pytest.mark.slow
    def test_both_types_can_be_measured(self):
        assert all(lm_dtype.measure_dtype(name) > 0 for name in ("float32", "bfloat16"))
