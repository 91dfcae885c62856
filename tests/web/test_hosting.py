"""The page about hosting is right: its commands, the proxy's configuration, and the steps of the Dockerfile."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("uvicorn", reason="the web table needs the extra web")
pytest.importorskip("httpx", reason="the test client of the web table needs httpx")

import httpx
from visitor import Visitor

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")

CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; {places}
  server {{ listen 127.0.0.1:{port}; server_name games.example; {location} }}
}}
"""
PLACES = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def block(language: str, beginning: str) -> str:
    """A block of the page."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return next(one for one in blocks if one.startswith(beginning))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(line: list[str], folder: Path, told: str = "") -> Iterator[str]:
    """A process while it runs, and the first line that it prints."""
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process.stdout.readline().strip() if told else ""
        finally:
            process.terminate()  # nginx takes its workers with it
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def served(command: str, port: int) -> list[str]:
    """A command line of the page, with this Python and a port that is free."""
    words = shlex.split(command.replace("8765", str(port)))
    assert words[0] == "econzoo"
    return [sys.executable, "-m", *words]


def reached(url: str) -> None:
    """Waits until something listens."""
    host, _, port = url.split("/")[2].rpartition(":")
    for _ in range(200):
        with socket.socket() as tried:
            if tried.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.05)


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
@pytest.mark.parametrize("slash", ["", "/"], ids=["path left", "path taken away"])
def test_a_match_behind_nginx_as_the_page_has_it(tmp_path, slash, monkeypatch):
    monkeypatch.setenv("ECONZOO_PASSWORD", "from behind the proxy")
    inner, outer = free_port(), free_port()
    location = block("text", "location").replace("8765;", f"{inner}{slash};").replace("$scheme", "https")
    places = " ".join(f"{name}_temp_path {tmp_path}/{name};" for name in PLACES)
    text = CONFIGURATION.format(folder=tmp_path, port=outer, location=location, places=places)
    (tmp_path / "nginx.conf").write_text(text, encoding="utf-8")
    proxy = [NGINX, "-p", str(tmp_path), "-e", f"{tmp_path}/error.log", "-c", str(tmp_path / "nginx.conf")]
    command = served(block("bash", "econzoo serve").splitlines()[0], inner)
    with running(command, tmp_path, "url") as url, running(proxy, tmp_path):
        assert url == f"http://127.0.0.1:{inner}/econzoo/"
        base = f"http://127.0.0.1:{outer}"
        reached(base)
        client = httpx.Client(base_url=base, follow_redirects=True, headers={"origin": f"https://127.0.0.1:{outer}"})
        visitor = Visitor(client, "/econzoo")
        visitor.start("matrix", player_1="tit-for-tat", param_rounds="1")
        assert visitor.path.startswith("/econzoo/s/")
        with client.stream("GET", f"{visitor.path}/events") as stream:  # comes at once, through the proxy
            assert next(stream.iter_lines()).startswith(("data:", "id:", "retry:"))
        visitor.move("C")
        assert 'data-testid="payoff"' in visitor.text
        assert not re.search(r'(?:href|src|action)="/(?!econzoo/)', visitor.text)
        token = (tmp_path / "econzoo_web" / "operator.token").read_text(encoding="utf-8").strip()
        assert client.get(f"/econzoo/operator?token={token}").status_code == 403
        answer = client.post("/econzoo/operator", data={"token": "from behind the proxy"}, follow_redirects=False)
        assert {"Secure", "HttpOnly", "Path=/econzoo/"} <= set(answer.headers["set-cookie"].split("; "))


# The container


def steps() -> list[tuple[str, str]]:
    """(instruction, the rest) of the Dockerfile."""
    lines = (ROOT / "people" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    return [(line.split()[0], line.partition(" ")[2]) for line in lines if line and not line.startswith("#")]


def test_the_dockerfile_installs_the_extra_of_the_table_with_the_tested_versions():
    assert [name for name, _ in steps()] == [
        *("FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT"),
    ]
    given = dict(steps())
    install, user, folder, owner = (shlex.split(one) for one in given["RUN"].split(" && "))
    assert install == ["pip", "install", "--no-cache-dir", "-c", "constraints.txt", ".[web]"]
    assert user[-1] == given["USER"]
    assert folder == ["mkdir", given["VOLUME"]]
    assert owner == ["chown", given["USER"], given["VOLUME"]]
    assert given["FROM"].startswith("python:3.11")
    assert (ROOT / "constraints.txt").exists()


@pytest.mark.slow
def test_the_dockerfile_starts_the_table(tmp_path):
    line = json.loads(dict(steps())["ENTRYPOINT"])
    assert line[line.index("--out") + 1] == dict(steps())["VOLUME"]
    assert line[line.index("--port") + 1] == dict(steps())["EXPOSE"]
    port = free_port()
    own = [word.replace("/data", str(tmp_path)).replace("8765", str(port)) for word in line]
    with running([sys.executable, "-m", *own], tmp_path, "url") as url:
        assert url.startswith(f"http://127.0.0.1:{port}/?key=")
        assert b"EconZoo" in urlopen(url).read()


def test_the_page_tells_of_every_option():
    for option in ["--root-path", "--trust-proxy", "--texts", "ECONZOO_TOKEN", "--out", "--host"]:
        assert option in PAGE, option
