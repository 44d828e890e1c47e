"""Settings: options, then the environment, then the defaults."""

from __future__ import annotations

import pytest

from keypeg.rules.errors import CannotRead
from keypeg.server.settings import Settings, read_settings


def test_nothing_said_means_the_defaults() -> None:
    assert read_settings({}, {}) == Settings()


def test_options_win_over_the_environment() -> None:
    settings = read_settings({"KEYPEG_PORT": "81", "KEYPEG_HOST": "::1"}, {"port": 82})
    assert (settings.port, settings.host) == (82, "::1")


def test_lists_are_separated_by_commas() -> None:
    environment = {"KEYPEG_ORIGINS": "https://a.example, http://b.example:8080"}
    assert read_settings(environment, {}).origins == ("https://a.example", "http://b.example:8080")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("ORIGINS", "*"),
        ("ORIGINS", "https://a.example/path"),
        ("ORIGINS", "null"),
        ("LOG_LEVEL", "loud"),
        ("SOCKETS", "0"),
        ("REQUESTS_PER_SECOND", "nan"),
        ("PUBLIC_URL", "ftp://a.example"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(name: str, value: str) -> None:
    with pytest.raises(CannotRead) as refusal:
        read_settings({f"KEYPEG_{name}": value}, {})
    assert "\n" not in str(refusal.value)


def test_a_refusal_names_the_variable() -> None:
    with pytest.raises(CannotRead, match="KEYPEG_PORT: expected"):
        read_settings({"KEYPEG_PORT": "eighty"}, {})
