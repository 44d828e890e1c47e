"""What is built for others is whole, and the README says how to install it."""

from __future__ import annotations

import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import click
import pytest

from harness.programs import run
from keypeg import __version__
from keypeg.cli import cli

ROOT = Path(__file__).parents[1]

NEEDED = """
    CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md SECURITY.md conftest.py package.json
    package-lock.json pyproject.toml requirements/test.txt scripts/environment.sh tsconfig.json
    bench/atlas/atlas.json docs/client.md harness/programs.py tests/test_packaging.py
"""
"""What `make test` needs besides the package itself, and what others should read."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist and a wheel of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True)
    return folder


def test_an_sdist_has_what_its_makefile_needs(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(NEEDED.split()) - names == set()
    assert not any(name.startswith((".venv", "node_modules")) for name in names)


def test_a_wheel_has_the_page_and_the_books_and_its_types(built: Path) -> None:
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    wanted = ("py.typed", "web/index.html", "solver/books/classic.book")
    assert {f"keypeg/{name}" for name in wanted} <= names


def test_no_help_cites_a_document_which_a_wheel_has_not() -> None:
    helps = repr(cli.to_info_dict(click.Context(cli)))
    assert "Serve tables to browsers and programs." in helps
    assert not re.findall(r"\S*docs/\S*|\S+\.md\b", helps)


def test_the_newest_version_of_the_changelog_is_this_one() -> None:
    versions = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert versions[:2] == ["Unreleased", __version__]


def test_whoever_has_a_clone_is_told_where_the_command_is() -> None:
    install = (ROOT / "README.md").read_text().partition("## Install")[2].partition("\n## ")[0]
    assert ".venv/bin/keypeg" in install
    for page in ("terminal.md", "server.md"):
        assert "`.venv/bin/keypeg`" in (ROOT / "docs" / page).read_text().partition("\n## ")[0]


def test_the_readme_explains_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    readme = (ROOT / "README.md").read_text()
    _, _, table = readme.partition("| extra |")
    explained = re.findall(r"^\| `(\w+)` \|.*\| (.+) \|$", table.partition("\n\n")[0], re.MULTILINE)
    assert {
        extra: re.findall(r"[a-z]+", re.sub(r" \(.*", "", has)) for extra, has in explained
    } == {
        extra: [re.split(r"\W", package)[0] for package in packages]
        for extra, packages in project["optional-dependencies"].items()
    }


def test_no_document_installs_keypeg_from_where_it_is_not() -> None:
    """With an extra it is meant for an environment that has keypeg; alone it would find none."""
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        assert not re.search(r"pip install '?keypeg(?!\[)", document.read_text()), document
