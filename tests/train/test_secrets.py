"""A key that is planted in the environment and in addresses stands in nothing that a run writes or says."""

from __future__ import annotations

import pytest
from local_server import LocalServer, error, reply

from econzoo.__main__ import main
from econzoo.envs.command_line import write_config
from econzoo.envs.core.record import strip_secrets
from econzoo.train.lm.dpo import DPORecipe

KEY = "sk-planted-4711"
SHORT = ["-p", "money=100", "-p", "messages=false"]
ADDRESSES = {
    "user": "http://me:{key}@127.0.0.1:{port}/v1",
    "query": "http://127.0.0.1:{port}/v1?key={key}",
    "long": "http://" + "me" * 12 + ":{key}@127.0.0.1:{port}/v1",
}


@pytest.fixture(autouse=True)
def planted(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def ended(line) -> int:
    try:
        main(line)
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def nowhere(folder, capfd) -> None:
    """Searches all files, standard output and standard error."""
    assert not [path for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert KEY not in "".join(capfd.readouterr())


def training(kind: str, spec: str, folder) -> list[str]:
    if kind == "ppo":
        few = ["--timesteps", "64", "--n-envs", "2", "--n-steps", "32", "--batch-size", "32", "--eval-episodes", "2"]
        return ["train", "ppo", "bargaining", "--opponents", spec, "--seats", "0", *few, "--out", str(folder)]
    if kind == "evaluate":
        few = ["--opponents", "fair", "--settings", "ultimatum", "--seeds", "1", *SHORT]
        return ["evaluate", "bargaining", spec, *few, "--out", str(folder)]
    if kind == "run":
        few = ["--opponents", "fair", "--settings", "ultimatum", "--seeds", "1", *SHORT]
        return ["run", "bargaining", spec, *few, "--out", str(folder)]
    few = ["--matches", "2", "--seats", "1", "--opponents", "fair", "--steps", "1", "--batch-size", "2", *SHORT]
    return ["train", "sft", "--teacher", spec, *few, "--dtype", "float32", "--out", str(folder)]


@pytest.mark.models
@pytest.mark.parametrize("kind", ["sft", "evaluate", "run"])
def test_a_key_in_the_environment_is_sent_and_not_kept(kind, tmp_path, capfd, request):
    pytest.importorskip("openai")
    pytest.importorskip("trl")
    with LocalServer(judge=lambda asked: reply('{"kind": "accept"}')) as server:
        line = training(kind, f"openai:m@{server.url}", tmp_path / "out")
        line += ["--model", f"hf:{request.getfixturevalue('tiny')}"] if kind == "sft" else []
        code = ended(line)
    assert any(KEY in one for one in server.keys)
    if kind == "sft":
        assert code == 0
        assert "openai:m" in (tmp_path / "out" / "config.toml").read_text()
    nowhere(tmp_path, capfd)


@pytest.mark.models
@pytest.mark.parametrize("kind", ["sft", "evaluate", "run", "ppo"])
def test_a_server_that_says_the_key_back_is_not_quoted(kind, tmp_path, capfd):
    pytest.importorskip("openai")
    pytest.importorskip("sb3_contrib")
    with LocalServer(error(401, f"wrong key {KEY}")) as server:
        assert ended(training(kind, f"openai:m@{server.url}?max_retries=0", tmp_path / "out"))
    nowhere(tmp_path, capfd)


def test_a_key_in_an_address_is_refused_and_not_repeated(tmp_path, capfd):
    for kind in ["sft", "evaluate", "run", "ppo"]:
        for address in ADDRESSES.values():
            spec = f"openai:m@{address.format(key=KEY, port=9)}"
            assert ended(training(kind, spec, tmp_path / "out")), (kind, address)
            nowhere(tmp_path, capfd)


def test_configs_and_options_in_files_lose_user_and_key(tmp_path):
    recipe = DPORecipe(["r.jsonl"], opponents=[f"openai:m@http://me:{KEY}@host/v1?token={KEY}&temperature=0"])
    text = write_config(tmp_path, recipe).read_text() + str(recipe.to_plain())
    assert KEY not in text
    assert text.count("host/v1?token=...&temperature=0") == 2


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("openai:m@http://user:pw@host:80/v1?key=s&temperature=0", "openai:m@http://host:80/v1?key=...&temperature=0"),
        ("base_url='http://user:secre...", "base_url='http://..."),
        ("expected http://HOST:PORT/v1", "expected http://HOST:PORT/v1"),
        ("http://localhost:8000", "http://localhost:8000"),
    ],
)
def test_what_is_taken_out_of_a_text(text, left):
    assert strip_secrets(text) == left
