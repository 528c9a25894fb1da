"""Which hosts are near: what an address says of the machine behind it."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_same_machine(url: str) -> bool:
    """Whether `url` is on the loopback address.

    >>> is_same_machine("http://127.0.0.1:1234/v1"), is_same_machine("http://[::1]/"), is_same_machine("http://a.b/")
    (True, True, False)
    """
    host = _host(url)
    if host == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def may_carry_key(url: str) -> bool:
    """Whether a key may be sent to `url`: by https, or by plain http inside one's own network.

    >>> may_carry_key("https://api.x.ai/v1"), may_carry_key("http://192.168.1.5:8080"), may_carry_key("http://api.x.ai")
    (True, True, False)
    """
    if urlsplit(url).scheme == "https" or is_same_machine(url):
        return True
    host = _host(url)
    address = _address(host)
    if address is not None:
        return address.is_private or address.is_link_local
    return "." not in host or host.endswith((".local", ".lan", ".internal", ".home.arpa", ".localhost"))


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
