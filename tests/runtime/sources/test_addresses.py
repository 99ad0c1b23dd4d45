"""What is asked: public addresses, and hosts that the config names."""

import asyncio

import pytest

from evalspec.runtime.sources.addresses import AddressError, is_public, parsed, resolve


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_public_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "not an address",
    ],
)
def test_loopback_private_and_metadata_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "localhost", "localhost."]
)
def test_a_host_is_judged_by_where_it_leads_however_it_is_written(host: str) -> None:
    with pytest.raises(AddressError, match=r"loopback, private or reserved|is not known"):
        asyncio.run(resolve(parsed(f"http://{host}:1/"), frozenset()))


def test_a_host_that_is_allowed_by_name_is_asked_where_it_is() -> None:
    found = asyncio.run(resolve(parsed("http://127.0.0.1/"), frozenset({"127.0.0.1"})))
    assert (found.addresses, found.public) == (("127.0.0.1",), False)


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://a.example/", "//a.example/", "http://", "http://u:p@a.example/", "gopher://x", "x"],
)
def test_only_http_and_https_with_a_host_and_no_user_are_read(address: str) -> None:
    with pytest.raises(AddressError):
        parsed(address)


def test_a_fragment_makes_no_other_address() -> None:
    assert str(parsed("https://a.example/b#c")) == "https://a.example/b"
