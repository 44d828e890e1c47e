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
        ("TRUSTED_PROXIES", "nonsense"),
        ("TRUSTED_PROXIES", "127.0.0.1, proxy.example"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(name: str, value: str) -> None:
    with pytest.raises(CannotRead) as refusal:
        read_settings({f"KEYPEG_{name}": value}, {})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("environment", "options", "reason"),
    [
        (
            {"KEYPEG_PORT": "eighty"},
            {},
            "KEYPEG_PORT: 'eighty' is not valid; use a whole number",
        ),
        ({"KEYPEG_PORT": "80"}, {"port": 99_999}, "--port: '99999' .* from 0 to 65,535"),
        ({}, {"log_level": "loud"}, "--log-level: 'loud' .* debug, info, warning or error"),
        ({"KEYPEG_THINKING_SECONDS": "0"}, {}, "a number above 0, and at most 600"),
        ({"KEYPEG_ORIGINS": "x"}, {}, "^KEYPEG_ORIGINS: 'x' is not valid"),
        ({}, {"public_url": "x"}, "^--public-url or KEYPEG_PUBLIC_URL: 'x' is not valid"),
        ({"KEYPEG_TRUSTED_PROXIES": "x"}, {}, "^KEYPEG_TRUSTED_PROXIES: 'x' is not valid"),
    ],
)
def test_a_refusal_names_what_was_set_and_says_what_would_be_right(
    environment: dict[str, str], options: dict[str, object], reason: str
) -> None:
    with pytest.raises(CannotRead, match=reason):
        read_settings(environment, options)


def test_proxies_are_addresses_or_networks() -> None:
    proxies = "127.0.0.1, 10.0.0.0/8, ::1, *"
    settings = read_settings({"KEYPEG_TRUSTED_PROXIES": proxies}, {})
    assert settings.trusted_proxies == ("127.0.0.1", "10.0.0.0/8", "::1", "*")


def test_an_empty_variable_counts_as_not_set() -> None:
    assert read_settings({"KEYPEG_HOST": "", "KEYPEG_TRUSTED_PROXIES": " "}, {}) == Settings()
