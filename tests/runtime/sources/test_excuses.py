"""Error pages sent as pages, and pages about errors: what is a document, and what only stands in its place."""

import pytest

from evalspec.runtime.sources.excuses import excuse
from evalspec.runtime.sources.sift import LONG, fault

EXCUSES = {
    "a status and nothing else": ("404", "# 404", "The requested URL was not found on this server."),
    "the name of a status": ("Not Found | Prairie Trust", "", "The address that was typed leads nowhere."),
    "a forbidden folder": ("403 Forbidden", "# Forbidden", "You don't have permission to access this resource."),
    "a broken server": ("Error", "# HTTP Error 500", "The server met a condition that it did not expect."),
    "a gateway": ("site.example | 502: Bad gateway", "# Bad gateway", "The host behind the gateway did not answer."),
    "a friendly shrug": ("Sorry", "# Oops! That went sideways", "Even our best people cannot say where it went."),
    "a page that went": ("Harbour Bank", "# This page is no longer available", "It was taken down in the spring."),
    "a page that none found": ("Help", "# We can't find the page you asked for", "It may have another name by now."),
    "an excuse without a heading": ("", "", "Sorry, the page you are looking for has been removed."),
    "an excuse under the name of the site": (
        "Home",
        "",
        "Unfortunately, the document you requested cannot be displayed.",
    ),
    "a session that ran out": ("Online banking", "# Your session has expired", "You were away for ten minutes."),
    "a session told in a sentence": ("Sign in", "", "Your session timed out because nothing was done in it."),
    "a wall against robots": ("Just a moment...", "# Checking your browser before you proceed", "This takes a second."),
    "a puzzle": ("Security check", "", "Please complete the security check below so that we know who is there."),
    "a wall for want of scripts": (
        "Loading",
        "",
        "JavaScript is disabled. This application requires JavaScript to run.",
    ),
    "an old browser": ("Ledger Online", "# Your browser is not supported", "Get a newer one from its maker."),
    "an interruption": ("Pardon Our Interruption", "", "As you were browsing, something made us think of a bot."),
    "a limit on requests": ("Limit", "# Too many requests", "Your address sent more than it may in an hour."),
    "maintenance": ("Northern Credit Union", "# Scheduled maintenance", "Our online services are down until six."),
    "maintenance in a sentence": ("Notice", "", "We are currently performing an upgrade of the machines behind this."),
    "a waiting room": ("Queue", "# You are now in line", "There are more visitors than we can let in at once."),
    "a country that is not served": ("Blocked", "", "This content is not available in your region for reasons of law."),
    "an error with a number": ("Portal", "# An error occurred while processing your request", "Reference #18.5f2c1"),
    "a heading of its own": ("Fund shop", "# Even we cannot open that door", "There is nothing behind it."),
    "a page that is not made yet": ("Fees", "# Coming soon", "This part of the site will be here in the new year."),
}
TRIES = (
    "You can go back to the home page or try again in a while.",
    "Many people find what they want with the search box at the top, or with the site map below.",
    "If you typed the address by hand, check the spelling of it, since a letter is soon missed.",
    "Our staff will be glad to hear from you by telephone on every day of the week but Sunday.",
    "Refresh this page after some minutes, and clear the cookies of your browser where that does not help.",
    "We know that this is a nuisance to you, and we thank you for the patience that you have with us.",
)
TEXTS = {
    "forbidden deals": ("Lending", "# Forbidden transactions", "A bank is forbidden to lend to its own directors."),
    "a section with a famous number": (
        "The act",
        "# Section 404 of the act",
        "A server of documents shall keep a list.",
    ),
    "denied credit": ("Notices", "# Access denied to credit", "A creditor who denied access to it must say why."),
    "a plan with a number": ("401(k) plans", "# 401(k) plans", "An error in a contribution is put right in the year."),
    "errors on a statement": ("Billing", "# Billing errors", "An error occurred where a charge is for the wrong sum."),
    "resolving errors": ("Transfers", "# Procedures for resolving errors", "A bank that finds an error corrects it."),
    "a session of parliament": (
        "Sessions",
        "# When a session has expired",
        "A bill that is not passed by then lapses.",
    ),
    "fraud that quotes an excuse": (
        "Fraud",
        "# How to tell a false message",
        "A thief may write that “your session has expired” and ask you to sign in.",
    ),
    "blocked cards": ("Cards", "# If your card is blocked", "A card is blocked after three wrong numbers at a till."),
    "maintenance of a spouse": (
        "Support",
        "# Maintenance",
        "A court orders the maintenance of a spouse by a former one.",
    ),
    "maintenance of registers": ("Registers", "# Maintenance of records", "A record is maintained for seven years."),
    "a website as a subject": (
        "Disclosure",
        "# Website disclosure",
        "The page that shows the fees must be found with ease.",
    ),
    "a document not found": (
        "Estates",
        "# Where a will is not found",
        "A document that could not be found is proved by a copy.",
    ),
    "offices under construction": ("Loans", "# Buildings under construction", "A loan on one is paid out in stages."),
    "robots that advise": (
        "Advice",
        "# Robots that give advice",
        "A robot adviser asks who you are before it invests.",
    ),
    "services that fail": (
        "Outages",
        "# Service unavailable: who pays",
        "A bank whose service is unavailable owes nothing.",
    ),
    "a payment that is due": (
        "Premiums",
        "# Payment required",
        "The first premium is required before the cover begins.",
    ),
    "cookies in a policy": ("Privacy law", "# Consent to cookies", "A site asks for consent before cookies are set."),
    "an accident at a gateway": ("Payments", "# Gateways", "A gateway passes a payment on; a bad gateway delays it."),
    "a text without a heading": (
        "Deposits",
        "",
        "The office was moved in May, and deposits are no longer taken there.",
    ),
    "an excuse as a subject": ("Delays", "# Sorry is not enough", "A firm that is sorry for a delay also pays for it."),
    "a page of a book": (
        "Ledgers",
        "# The page that is missing",
        "A ledger of which a page was removed proves little.",
    ),
}
LAW = (
    "The holder of the account is told of it in writing within ten days of the day on which it was noticed.",
    "The office keeps a copy of every notice, and shows it to an inspector who asks for it at a fair hour.",
    "Whoever disagrees with a decision may write to the ombudsman, whose answer comes within ninety days.",
    "A fee that was taken without a right to it is given back, with interest from the day of the taking.",
    "The rule does not hold for a firm whose business in the country is below the sum that is set each year.",
    "An officer who knew of the breach and said nothing of it answers for it as the firm itself does.",
)


def page(head: str, first: str, more: tuple[str, ...]) -> str:
    return "\n\n".join(filter(None, (head, first, *more)))


@pytest.mark.parametrize("kind", EXCUSES)
def test_a_page_that_stands_in_for_another_is_no_document(kind: str) -> None:
    title, head, first = EXCUSES[kind]
    text = page(head, first, TRIES)
    assert 100 <= len(text.split()) < LONG
    assert (fault(text, title) or "").startswith("it is an error page (“")


@pytest.mark.parametrize("kind", TEXTS)
def test_a_page_about_errors_and_refusals_is_a_document(kind: str) -> None:
    title, head, first = TEXTS[kind]
    text = page(head, first, LAW)
    assert 100 <= len(text.split()) < LONG
    assert (excuse(text, title), fault(text, title)) == (None, None)


@pytest.mark.parametrize("kind", EXCUSES)
def test_what_goes_on_at_length_is_taken_for_a_text_about_errors(kind: str) -> None:
    title, head, first = EXCUSES[kind]
    assert fault(page(head, first, LAW * 3), title) is None


def test_a_long_line_without_an_end_costs_nothing() -> None:
    assert excuse("sorry " + "the page " * 50 + "x" * 5_000_000, "a" * 600) is None
