"""Which software made something: found once per process, kept in records, folders and options, never part of an id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.envs.command_line import CONFIG_FILE, read_software
from econzoo.envs.core.contract import parse_toml
from econzoo.envs.core.record import Record, Software, current_software, provenance, read_record_file
from econzoo.envs.core.record.provenance import checkout_commit, package_commit
from econzoo.evaluate import new_design, read_records
from econzoo.evaluate.analyses.tidy.tables import tables
from econzoo.evaluate.run import play_missing, replay, run
from refusals import refuses, says

HERE = Path(provenance.__file__).resolve()
NOW = current_software()


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    call = ["git", "-C", str(folder), *own, *words]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A file in a checkout of one commit."""
    file = tmp_path / "checkout" / "package" / "module.py"
    file.parent.mkdir(parents=True)
    file.write_text("a = 1\n")
    git(file.parent, "init", "-q", "..")
    git(file.parent, "add", file.name)
    git(file.parent, "commit", "-qm", "Add a")
    return file


def command(*words: object) -> int:
    try:
        main([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


# The commit


def test_the_commit_of_a_checkout_and_whether_it_was_changed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = git(checkout.parent, "rev-parse", "HEAD")
    git(checkout.parent, "tag", "-a", "v9", "-m", "v9")  # names no commit
    assert checkout_commit(checkout) == commit[:12]
    (checkout.parent / "notes.txt").write_text("untracked")
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as inside a hook of git
    assert checkout_commit(checkout) == commit[:12]
    checkout.write_text("a = 2\n")
    assert checkout_commit(checkout) == f"{commit[:12]}-dirty"


def test_a_package_in_another_projects_checkout_has_no_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = checkout.parent / "venv" / "econzoo.py"
    installed.parent.mkdir()
    installed.write_text("a = 1\n")
    assert checkout_commit(installed) == ""
    alone = checkout.parents[2] / "econzoo.py"
    alone.write_text("a = 1\n")
    assert checkout_commit(alone) == ""
    monkeypatch.setenv("PATH", "")  # no git
    assert checkout_commit(checkout) == ""


@pytest.mark.parametrize(
    ("origin", "commit"),
    [
        ({"url": "https://x.y/z.git", "vcs_info": {"vcs": "git", "commit_id": "0123456789abcdef0123"}}, "0123456789ab"),
        ({"url": "file:///x", "dir_info": {"editable": True}}, None),
        ({"url": "https://x.y/z.whl", "archive_info": {}}, None),
        ([], None),
        (None, None),
    ],
)
def test_an_installation_from_a_repository_tells_its_commit(
    origin: object, commit: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_text(self: object, name: str) -> str | None:
        return None if origin is None or name != "direct_url.json" else json.dumps(origin)

    monkeypatch.setattr(metadata.Distribution, "read_text", read_text, raising=False)
    monkeypatch.setattr(metadata.PathDistribution, "read_text", read_text)
    assert package_commit.__wrapped__() == (checkout_commit(HERE) if commit is None else commit)


def test_libraries_are_named_by_distribution_without_those_not_installed() -> None:
    found = current_software("pytest", "no_such_library", "typing_extensions").libraries
    assert found == {name: metadata.version(name) for name in ("pytest", "typing-extensions")}
    assert "no_such_library" not in sys.modules


def test_it_is_looked_up_once_per_process_and_not_by_import() -> None:
    code = """
import subprocess, sys
calls, real = [], subprocess.run
subprocess.run = lambda *a, **k: calls.append(a) or real(*a, **k)
import econzoo
assert "econzoo.envs.core.record.provenance" not in sys.modules
for seed in range(3):
    econzoo.play("matrix", ["grudger", "random"], seed=seed)
assert len(calls) <= 2, calls
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# Records


def test_a_record_names_what_made_it_and_its_id_does_not_depend_on_it() -> None:
    record = econzoo.play("bargaining", ["spe", "fair"], seed=3)
    assert record.software == NOW.to_plain()
    given = json.loads(record.to_json())
    assert list(given)[-1] == "software"
    assert given["software"]["version"] == econzoo.__version__
    others = {"version": "9.9", "commit": "0" * 12, "libraries": {"torch": "1.0"}}
    for software in (others, {"version": "9.9"}, None):
        other = Record.from_json(json.dumps({**given, "software": software}))
        assert (other.id, other.match_id(), replay(other)) == (record.id, record.id, [])
    del given["software"]
    assert Record.from_json(json.dumps(given)).software is None
    assert "software" not in Record.from_json(json.dumps(given)).to_json()


def test_copies_for_other_seeds_name_it_too() -> None:
    record = econzoo.play("bargaining", ["spe", "fair"], seed=3)
    (line,) = record.lines_with_seeds([3])
    assert line == record.to_json()


@pytest.mark.parametrize("wrong", [{}, {"commit": "x"}, {"version": 1}, {"version": "1", "python": "3"}, "0.1.0", [1]])
def test_other_forms_are_no_records(wrong: object) -> None:
    given = {**json.loads(econzoo.play("bargaining", ["spe", "fair"]).to_json()), "software": wrong}
    with refuses(ValueError, "software", "version"):
        Record.from_json(json.dumps(given))
    assert [problem.field for problem in replay(given)] == ["software"]


@pytest.mark.models
def test_libraries_are_those_of_the_models_that_play() -> None:
    torch = pytest.importorskip("torch")

    from econzoo.baselines import TorchPlayer, player

    network = TorchPlayer("mine", lambda rows: torch.zeros(len(rows), 103))
    record = econzoo.play("bargaining", [network, "fair"], horizon=1, messages=False)
    assert record.software == current_software("numpy", "torch").to_plain()
    assert set(record.software["libraries"]) == {"numpy", "torch"}
    assert player("hf:nowhere").libraries == ("torch", "transformers")
    assert player("openai:m").libraries == player("mock:x").libraries == player("spe", "bargaining").libraries == ()
    assert player("trust(0.5, reader='hf:nowhere')", "persuasion").libraries == ("torch", "transformers")


def test_two_versions_in_one_folder_are_told_apart(tmp_path: Path) -> None:
    record = econzoo.play("bargaining", ["spe", "fair"])
    lines = [record.to_json()]
    record.software, record.seed, record.id = {"version": "0.0.9", "commit": "feed"}, 1, ""
    record.id = record.match_id()
    (tmp_path / "records.jsonl").write_text("\n".join([*lines, record.to_json()]) + "\n")
    (table,) = [one for one in tables(read_records(tmp_path).records) if one.name == "matches"]
    assert table["software_version"].values == [econzoo.__version__, "0.0.9"]
    assert table["software_commit"].values == [NOW.commit or None, "feed"]


# Folders


def made_elsewhere(folder: Path, **software: str) -> None:
    path = folder / "manifest.json"
    given = json.loads(path.read_text())
    given["provenance"] = [{"command": "econzoo run x", "version": econzoo.__version__, **software}]
    path.write_text(json.dumps(given))


def test_a_folder_names_what_made_it_and_a_resume_by_another_commit_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def names(*players: str) -> dict[str, object]:
        return {one: new_design(one, players, seeds=2) for one in ("bargaining", "multi_issue")}

    def play(*players: str) -> str:
        play_missing(names(*players), tmp_path, 1, "0/1", 1)
        return "".join(line for line in capsys.readouterr().err.splitlines() if "resuming" in line)

    assert play("fair") == ""
    made = json.loads((tmp_path / "bargaining" / "manifest.json").read_text())["provenance"]
    assert [Software(*[one[name] for name in Software._fields]) for one in made] == [NOW]
    assert play("fair", "random") == ""
    for game in ("bargaining", "multi_issue"):
        made_elsewhere(tmp_path / game, commit="feed")
    said = play("fair", "random", "mock('x')")
    says(said, "feed", str(NOW))
    assert said.count("resuming") == 1
    assert [
        one["commit"] for one in json.loads((tmp_path / "bargaining" / "manifest.json").read_text())["provenance"]
    ] == [
        "feed",
        NOW.commit,
    ]
    made_elsewhere(tmp_path / "bargaining")  # without a commit
    run(new_design("bargaining", ["fair", "random", "mock('x')"], seeds=3), tmp_path / "bargaining")
    assert ("resuming" in capsys.readouterr().err) == bool(NOW.commit)


@pytest.mark.parametrize("made", [[{"command": "x", "version": "1", "libraries": [1]}], [{"version": "1"}], 3, [3]])
def test_a_folder_with_another_form_is_as_if_nothing_was_recorded(tmp_path: Path, made: object) -> None:
    design = new_design("bargaining", ["fair"], seeds=1)
    run(design, tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "provenance": made}))
    run(design, tmp_path)
    assert len(json.loads(path.read_text())["provenance"]) == 1


def test_options_name_it_and_a_rerun_from_them_is_equal(tmp_path: Path) -> None:
    words = ("run", "matrix", "grudger", "random", "--seeds", 2, "--out")
    assert command(*words, tmp_path / "a") == 0
    text = (tmp_path / "a" / CONFIG_FILE).read_text()
    assert parse_toml(text)["software"] == NOW.to_plain()
    assert read_software(tmp_path / "a") == NOW
    changed = text.replace(f'version = "{NOW.version}"', 'version = "0.0.9"')
    assert changed != text
    (tmp_path / "b.toml").write_text(changed)
    assert command("run", tmp_path / "b.toml", "--out", tmp_path / "b") == 0
    ended = [read_record_file(tmp_path / name / "records.jsonl") for name in ("a", "b")]
    for one, other in zip(*ended, strict=True):
        assert (one.id, one.payoffs, [turn.reply for turn in one.turns]) == (
            other.id,
            other.payoffs,
            [turn.reply for turn in other.turns],
        )
    assert read_software(tmp_path / "nowhere") is None
    (tmp_path / "b.toml").rename(tmp_path / CONFIG_FILE)
    (tmp_path / CONFIG_FILE).write_text(text.replace("[software]", "[software]\nversion = 3\n[other]"))
    assert read_software(tmp_path) is None


def test_a_page_names_it(tmp_path: Path) -> None:
    econzoo.run(new_design("bargaining", ["fair"], seeds=2), tmp_path)
    assert f"made by: a Python program, {NOW}." in econzoo.analyze(tmp_path, regret=False).to_html()


def test_words() -> None:
    assert str(Software("1.0")) == "EconZoo 1.0"
    assert str(Software("1.0", "abc-dirty", {"torch": "2.9"})) == "EconZoo 1.0 (commit abc-dirty), torch 2.9"
    assert Software("1.0", "", {}).to_plain() == {"version": "1.0"}
    assert os.sep not in str(NOW)
