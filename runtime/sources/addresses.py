"""Which addresses may be asked: public ones, and those of hosts that the config allows by name."""

import asyncio
import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from evalspec.spec.dataclass import dataclass

if TYPE_CHECKING:
    import httpx

_NAT64 = ip_network("64:ff9b::/96")
_CLOUD = {ip_address("168.63.129.16"), ip_address("100.100.100.200"), ip_address("192.0.0.192")}
"""Public or shared addresses at which clouds answer their own machines."""


class AddressError(ValueError):
    """An address that is not asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a host was found; a connection goes to one of these addresses and to no other."""

    addresses: tuple[str, ...]
    public: bool


def parsed(text: str) -> "httpx.URL":
    """An absolute http or https address without a fragment. Raises AddressError."""
    import httpx

    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise AddressError(f"its address is none: {error}") from None
    if url.scheme not in ("http", "https"):
        raise AddressError(f"its address begins with {url.scheme or 'nothing'}: and only http and https are read")
    if not url.host:
        raise AddressError("its address names no host")
    if url.userinfo:
        raise AddressError("its address holds a user name")
    return url.copy_with(fragment=None)


async def resolve(url: "httpx.URL", allowed: Collection[str]) -> Resolved:
    """Look the host up. Raises AddressError where it is not known, or has an address that may not be asked."""
    host = url.host.rstrip(".").lower()
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressError(f"the host {host} is not known") from None
    addresses = tuple(dict.fromkeys(str(row[4][0]) for row in rows))
    if not addresses:
        raise AddressError(f"the host {host} is not known")
    public = all(is_public(address) for address in addresses)
    if not public and host not in allowed:
        raise AddressError(
            f"{host} has a loopback, private or reserved address; where it is yours, list it in web_sources.allow_hosts"
        )
    return Resolved(addresses, public)


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public Internet; those that carry another inside are judged by both."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        inner = _carried(found)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast and found not in _CLOUD


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address within a mapped, 6to4, Teredo or NAT64 address."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
