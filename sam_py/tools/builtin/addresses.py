"""Which addresses of the network a tool may connect to: public ones, and no disguise of others. Pure."""

from __future__ import annotations

import ipaddress

_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_SPECIAL = (ipaddress.IPv4Network("192.0.0.0/24"), ipaddress.IPv4Network("192.88.99.0/24"))
"""Protocol assignments (RFC 6890) and 6to4 relays (RFC 7526): no site is there, whatever Python's version says."""
_SITE_LOCAL = ipaddress.IPv6Network("fec0::/10")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_public(text: str) -> bool:
    """Whether `text` is an address on the internet, also where an IPv4 address hides in an IPv6 one.

    >>> is_public("1.1.1.1"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("64:ff9b::a00:1")
    (True, False, False, False)
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return all(_is_public(each) for each in (address, *_inside(address)))


def _is_public(address: Address) -> bool:
    # is_global says yes to multicast, and before Python 3.13 to a few blocks that is_reserved knows.
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
        and not address.is_loopback
        and not address.is_link_local
        and not (isinstance(address, ipaddress.IPv6Address) and address in _SITE_LOCAL)
        and not any(address in network for network in _SPECIAL if network.version == address.version)
    ) or (isinstance(address, ipaddress.IPv6Address) and address in _NAT64[0])


def _inside(address: Address) -> list[Address]:
    """The IPv4 addresses that an IPv6 address stands for: mapped, compatible, NAT64, 6to4, Teredo."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    found: list[Address] = []
    if address.ipv4_mapped is not None:
        found.append(address.ipv4_mapped)
    if address.sixtofour is not None:
        found.append(address.sixtofour)
    if address.teredo is not None:
        found += address.teredo
    if address in _COMPATIBLE or any(address in network for network in _NAT64):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return found
