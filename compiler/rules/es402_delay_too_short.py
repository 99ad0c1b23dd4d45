"""A delay under two seconds for a public host.

## What it does
Reports `web_sources.delay_seconds` under 2 where a target is on a public host. Loopback and private hosts, and those
under `allow_hosts`, are exempt.

## Why
Two seconds between requests to one host is the courtesy that the project promises, and hosts that are hurried block.

## Example
```yaml
web_sources:
  delay_seconds: 0.5
  targets:
    - {name: OSFI, url: "https://www.osfi-bsif.gc.ca/en"}
```

## Use instead
```yaml
web_sources:
  delay_seconds: 2
  targets:
    - {name: OSFI, url: "https://www.osfi-bsif.gc.ca/en"}
```
"""

from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from evalspec.compiler.files import SOURCES_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_PRIVATE_ENDINGS = (".localhost", ".local", ".internal", ".test", ".invalid", ".home.arpa")
MIN_DELAY = 2


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding, at the delay."""
    web = spec.sources.web_sources
    if not web.enabled or web.delay_seconds >= MIN_DELAY:
        return
    for target in web.targets:
        host = _host(target.url)
        if host and host not in web.allow_hosts and is_public(host):
            place = spec.places.place_of(SOURCES_FILE, ("web_sources", "delay_seconds"))
            message = f"a delay of {web.delay_seconds:g} seconds is too short for the public host {host}"
            yield found("ES402", message, place, hint=f"write {MIN_DELAY} or more")
            return


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_public(host: str) -> bool:
    """Whether a host name or address is neither loopback nor private."""
    try:
        return ip_address(host).is_global
    except ValueError:
        return host != "localhost" and not host.endswith(_PRIVATE_ENDINGS)
