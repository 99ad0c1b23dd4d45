"""Charts of a report, as SVG that is as wide as its place: metrics on their scales, rates as bars, latencies."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from evalspec.bench.comparison import Change
from evalspec.bench.report import MetricScore, Rate
from evalspec.bench.reports import words

_ROW, _BAR, _THICK, _LONGEST = 34, 20, 8, 34
_SPANS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Widths that a metric's scale may have; the narrowest that holds value, interval and bar is taken."""
_BINS = 30
_TOP, _HIGH = 44, 96


def metric(name: str, score: MetricScore) -> Markup:
    """A metric on a line: its interval, its value, its bar, and the side of the bar that it must be on."""
    if score.value is None and score.bar is None:
        return Markup()
    low, high = scale(score)

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    parts = [
        Markup('<svg class="metric {}" width="100%" height="40" role="img" aria-label="{}">').format(
            score.verdict or "none", f"{name}: {words.metric_line(score)}"
        ),
        Markup('<rect class="track" x="0" y="9" width="100%" height="10" rx="5"/>'),
    ]
    if score.bar is not None:
        side = (low, score.bar) if score.direction == "at_most" else (score.bar, high)
        width = f"{100 * (side[1] - side[0]) / (high - low):.2f}%"
        parts.append(Markup('<rect class="due" x="{}" y="9" width="{}" height="10"/>').format(at(side[0]), width))
        parts.append(Markup('<line class="limit" x1="{0}" x2="{0}" y1="2" y2="26"/>').format(at(score.bar)))
    if score.interval is not None:
        ends = at(score.interval.low), at(score.interval.high)
        parts.append(Markup('<line class="whisker" x1="{}" x2="{}" y1="14" y2="14"/>').format(*ends))
        parts += [Markup('<line class="whisker" x1="{0}" x2="{0}" y1="9" y2="19"/>').format(end) for end in ends]
    if score.value is not None:
        parts.append(Markup('<circle class="value" cx="{}" cy="14" r="5"/>').format(at(score.value)))
    parts.append(Markup('<text x="0" y="38">{}</text>').format(words.bar(low)))
    parts.append(Markup('<text x="100%" y="38" text-anchor="end">{}</text></svg>').format(words.bar(high)))
    return Markup("").join(parts)


def scale(score: MetricScore) -> tuple[float, float]:
    """The stretch from 0 to 1 that a metric is drawn on."""
    if score.value is None:
        return 0.0, 1.0
    ends = (score.interval.low, score.interval.high) if score.interval else ()
    return stretch([value for value in (score.value, score.bar, *ends) if value is not None])


def stretch(shown: Sequence[float]) -> tuple[float, float]:
    """The narrowest stretch with round ends that holds all values."""
    for span in _SPANS:
        low = math.floor(min(shown) / span + 1e-9) * span
        if max(shown) <= low + span + 1e-9:
            return max(0.0, min(low, 1 - span)), min(1.0, max(low, 0.0) + span)
    return 0.0, 1.0


def rates(
    title: str,
    found: Mapping[str, Rate],
    link: Callable[[str], str],
    before: Mapping[str, Rate] | None = None,
    most: int = 40,
) -> Markup:
    """A row a rate, as long as its share of 1, with its interval; each is a link. `before` marks the other run's."""
    shown = list(found.items())[:most]
    parts = [
        Markup('<svg class="bars" width="100%" height="{}" role="group" aria-label="{}">').format(
            _ROW * len(shown), title
        )
    ]
    for at, (name, rate) in enumerate(shown):
        parts.append(_rate(name, rate, _ROW * at, link(name), (before or {}).get(name)))
    left = len(found) - len(shown)
    more = Markup('<p class="faint">and {} more, which the JSON report has</p>').format(left) if left else Markup()
    return Markup("\n").join([*parts, Markup("</svg>"), more])


def _rate(name: str, rate: Rate, top: int, url: str, before: Rate | None) -> Markup:
    said = f"{name}: {words.rate(rate)}, cases: {words.counts(rate)}"
    if before is not None:
        said += f"; {words.percent(before.value)} in the base run"
    label = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    scored = f"{rate.scored:,}" if rate.scored == rate.attempted else f"{rate.scored:,} of {rate.attempted:,}"
    middle = top + _BAR + _THICK / 2
    parts = [
        Markup('<a href="{}" data-on="{}"><title>{}</title>').format(url, url, said),
        Markup('<rect class="whole" x="0" y="{}" width="100%" height="{}"/>').format(top, _ROW),
        Markup('<text x="0" y="{}">{}</text>').format(top + 14, label),
        Markup('<text class="count" x="100%" y="{}" text-anchor="end">{} · {}</text>').format(
            top + 14, words.percent(rate.value), scored
        ),
        Markup('<rect class="track" x="0" y="{}" width="100%" height="{}" rx="3"/>').format(top + _BAR, _THICK),
    ]
    if rate.value is not None:
        width = f"{100 * rate.value:.2f}%"
        parts.append(
            Markup('<rect class="bar" x="0" y="{}" width="{}" height="{}" rx="3"/>').format(top + _BAR, width, _THICK)
        )
        if rate.interval is not None:
            ends = f"{100 * rate.interval.low:.2f}%", f"{100 * rate.interval.high:.2f}%"
            parts.append(Markup('<line class="whisker" x1="{}" x2="{}" y1="{y}" y2="{y}"/>').format(*ends, y=middle))
    if before is not None and before.value is not None:
        x = f"{100 * before.value:.2f}%"
        parts.append(
            Markup('<line class="was" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(x, middle - 7, middle + 7)
        )
    return Markup("").join([*parts, Markup("</a>")])


def widest(found: Iterable[Change], margin: float = 0.0) -> float:
    """The round width, one for all, that holds every difference on either side of 0."""
    ends = [margin]
    for change in found:
        ends += [abs(change.difference)] if change.difference is not None else []
        ends += [abs(change.interval.low), abs(change.interval.high)] if change.interval else []
    return next((span for span in _SPANS if max(ends) <= span), 1.0)


def difference(name: str, change: Change, width: float, margin: float | None = None) -> Markup:
    """A difference on a line that has 0 in its middle: its interval, its value, and the margin under 0.

    Its color says whether it is for the better.
    """
    if change.difference is None:
        return Markup()

    def at(value: float) -> str:
        return f"{50 + 50 * value / width:.2f}%"

    side = "none" if change.difference == 0 else "missed" if change.worse else "met"
    parts = [
        Markup('<svg class="metric difference {}" width="100%" height="28" role="img" aria-label="{}">').format(
            side, f"{name}: {words.change(change)}"
        ),
        Markup('<rect class="track" x="0" y="9" width="100%" height="10" rx="5"/>'),
        Markup('<line class="zero" x1="50%" x2="50%" y1="4" y2="24"/>'),
    ]
    if margin is not None:
        parts.append(Markup('<line class="limit" x1="{0}" x2="{0}" y1="2" y2="26"/>').format(at(-margin)))
    if change.interval is not None:
        ends = at(change.interval.low), at(change.interval.high)
        parts.append(Markup('<line class="whisker" x1="{}" x2="{}" y1="14" y2="14"/>').format(*ends))
        parts += [Markup('<line class="whisker" x1="{0}" x2="{0}" y1="9" y2="19"/>').format(end) for end in ends]
    return Markup("").join(
        [*parts, Markup('<circle class="value" cx="{}" cy="14" r="5"/></svg>').format(at(change.difference))]
    )


def latencies(values: Sequence[float], marks: Mapping[str, float | None]) -> Markup:
    """How many answers took how long, with lines at `marks` (name to ms); no values make no chart."""
    if not values:
        return Markup()
    lines = {name: value for name, value in marks.items() if value is not None}
    top = _round_up(max((*values, *lines.values())))
    parts = [
        Markup('<svg class="histogram" width="100%" height="{}" role="img" aria-label="{}">').format(
            _TOP + _HIGH + 18, f"Latencies of {len(values):,} answers from 0 to {words.milliseconds(top)}"
        ),
        *_bins(values, top),
    ]
    base = _TOP + _HIGH
    parts.append(Markup('<line class="base" x1="0" x2="100%" y1="{0}" y2="{0}"/>').format(base + 0.5))
    parts.append(Markup('<text x="0" y="{}">0</text>').format(base + 15))
    parts.append(Markup('<text x="100%" y="{}" text-anchor="end">{}</text>').format(base + 15, words.milliseconds(top)))
    parts += [_mark(name, value, top, level) for level, (name, value) in enumerate(lines.items())]
    return Markup("").join([*parts, Markup("</svg>")])


def _bins(values: Sequence[float], top: float) -> Iterator[Markup]:
    """A bar for each stretch that has values in it."""
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(_BINS * max(0.0, value) / top))] += 1
    largest, width = max(counts), 100 / _BINS
    for at, count in enumerate(counts):
        if count:
            high = max(2.0, _HIGH * count / largest)
            span = f"{words.milliseconds(top * at / _BINS)} to {words.milliseconds(top * (at + 1) / _BINS)}: {count:,}"
            yield Markup(
                '<rect x="{:.2f}%" y="{:.1f}" width="{:.2f}%" height="{:.1f}"><title>{}</title></rect>'
            ).format(at * width + 0.15, _TOP + _HIGH - high, width - 0.3, high, span)


def _mark(name: str, value: float, top: float, level: int) -> Markup:
    share = 100 * value / top
    anchor, aside = ("end", -4) if share > 72 else ("start", 4)
    y = 11 + 13 * level
    return Markup(
        '<line class="{0}" x1="{1}" x2="{1}" y1="{2}" y2="{3}"/>'
        '<text class="{0}" x="{1}" dx="{4}" y="{5}" text-anchor="{6}">{7}</text>'
    ).format(
        name,
        f"{share:.2f}%",
        y - 8,
        _TOP + _HIGH,
        aside,
        y,
        anchor,
        f"{name} {words.milliseconds(value)}",
    )


def _round_up(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((power * step for step in (1, 1.5, 2, 3, 4, 5, 6, 8) if value <= power * step), power * 10)


def runs(pass_rates: Sequence[float | None], mean: float | None) -> Markup:
    """The pass rate of each run as a dot on one scale, and their mean as a line."""
    known = [value for value in pass_rates if value is not None]
    if not known:
        return Markup()
    low, high = stretch([max(0.0, min(known) - 0.02), min(1.0, max(known) + 0.02)])

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    parts = [
        Markup('<svg class="metric" width="100%" height="40" role="img" aria-label="{}">').format(
            "Pass rates of the runs: " + ", ".join(map(words.percent, pass_rates))
        ),
        Markup('<rect class="track" x="0" y="9" width="100%" height="10" rx="5"/>'),
    ]
    if mean is not None:
        parts.append(Markup('<line class="limit" x1="{0}" x2="{0}" y1="4" y2="24"/>').format(at(mean)))
    for number, value in enumerate(pass_rates, 1):
        if value is not None:
            said = f"run {number}: {words.percent(value)}"
            parts.append(
                Markup('<circle class="value" cx="{}" cy="14" r="5"><title>{}</title></circle>').format(at(value), said)
            )
    parts.append(Markup('<text x="0" y="38">{}</text>').format(words.bar(low)))
    parts.append(Markup('<text x="100%" y="38" text-anchor="end">{}</text></svg>').format(words.bar(high)))
    return Markup("").join(parts)
