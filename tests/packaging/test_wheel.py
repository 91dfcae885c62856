"""The distribution: built as a user's installer builds it, installed alone, and used from another folder.

The source is copied first, so that no build folder of this checkout gets in. The wheel is made from the sdist, so
both are known to be complete, and what it runs with has none of the links of an editable install (``python -S``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from declared import FOLDERS, PROJECT, ROOT, library_files, packages_on_disk

pytest.importorskip("build")

pytestmark = pytest.mark.repo

TOP = sorted({folder.split("/")[0] for folder in FOLDERS.values()})
PAPERS = ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md")
FILES = (*PAPERS, "pyproject.toml", "MANIFEST.in", "constraints.txt")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for folder in (*TOP, "docs", ".ci"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in FILES:
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel alone was installed."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target)]
    done = subprocess.run([*command, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def run(installed: Path, *arguments: str) -> str:
    """What a new interpreter prints that knows the installed wheel and its dependencies, and not this checkout."""
    path = os.pathsep.join([str(installed), *{sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}])
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ECONZOO"))}
    command = [sys.executable, "-S", *arguments]
    env |= {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
    done = subprocess.run(command, cwd=installed, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_every_file_of_the_library_and_no_other(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == library_files()


def test_the_wheel_carries_the_licence_and_the_readme(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    inside = {Path(name).name: name for name in archive.namelist() if ".dist-info/" in name}
    assert archive.read(inside["LICENSE"]).startswith(b"MIT License")
    about = archive.read(inside["METADATA"]).decode()
    assert "License-Expression: MIT" in about
    assert "# EconZoo" in about


def test_the_sdist_has_what_the_commands_of_the_readme_need(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {*FILES, ".ci/run", ".ci/typecheck", "docs/adding_a_game.md", "tests/conftest.py"} <= inside
    assert {f"{folder}/__init__.py" for folder in FOLDERS.values()} <= inside


def test_imports_from_where_it_was_installed(installed: Path) -> None:
    printed = run(installed, "-c", "import econzoo; print(econzoo.__version__, econzoo.__file__)")
    version, file = printed.split(maxsplit=1)
    assert Path(file.strip()) == installed / "econzoo" / "__init__.py"
    assert version == PROJECT["version"]


def test_every_module_without_extras_imports(installed: Path) -> None:
    """Every package, and all of envs and wrappers, whatever else is installed."""
    names = [*packages_on_disk(), "econzoo.envs.bargaining_v0", "econzoo.__main__"]
    run(installed, "-c", f"import importlib\nfor name in {names!r}: importlib.import_module(name)")


def test_the_command_lists_the_games(installed: Path) -> None:
    script = installed / "bin" / "econzoo"
    command = [str(script)] if script.exists() else ["-m", "econzoo"]  # Windows makes an .exe
    assert "bargaining" in run(installed, *command, "games")


def test_the_environment_finds_its_prompts(installed: Path) -> None:
    code = """
        import econzoo
        env = econzoo.make("bargaining", face="text")
        env.reset(seed=0)
        print(env.last()[0]["text"])
    """
    assert "divide" in run(installed, "-c", "\n".join(line[8:] for line in code.splitlines()))


def test_gymnasium_finds_it_by_its_name_alone(installed: Path) -> None:
    code = """
        import sys
        import gymnasium
        env = gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent="fair", seat=0)
        envs = gymnasium.make_vec("econzoo:econzoo/Bargaining-v0", num_envs=2, opponent="fair", seat=0)
        print(all(one.observation_space.contains(one.reset(seed=0)[0]) for one in (env, envs)))
        import econzoo
        print(gymnasium.make("econzoo/Bargaining-v0", opponent="fair").spec.id)
        print({"torch", "numba", "pandas"} & set(sys.modules))
    """
    printed = run(installed, "-W", "error", "-c", "\n".join(line[8:] for line in code.splitlines()))
    assert printed.split("\n")[:3] == ["True", "econzoo/Bargaining-v0", "set()"]


def test_the_build_finds_every_package() -> None:
    code = "import build_backend; print(*build_backend.packages())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / ".ci", capture_output=True, text=True, check=True)
    assert done.stdout.split() == packages_on_disk()
