"""Pages that stand where another was asked for: errors, walls and waiting rooms, sent as though all were well.

Such a page says so in its title or its first heading and in few words more, or tells whoever visits it that nothing
can be shown, and what to try instead. A text about errors, denials and expiries has a heading that says what of, and
speaks of them within its sentences; so what counts is a whole heading, and how a sentence begins.
"""

import re

_FEW = 100
"""Of a text of fewer words nothing more is asked than the sentence."""
_LOOKED_AT = 80
"""Words of the text in which an excuse is made."""

_STATUS = (
    r"not found|bad request|unauthori[sz]ed|forbidden|method not allowed|request time-?out"
    r"|too many requests|internal server error|server error|bad gateway|service (?:temporarily )?unavailable"
    r"|gateway time-?out|access (?:is |was |has been )?denied|unavailable for legal reasons"
)
_THING = r"(?:web ?)?(?:page|site|web ?site|content|document|file|resource|article|url|link|address|product|service)"
_PLAIN_HEADING = re.compile(
    rf"(?:http |server |application )?(?:error:? )?(?:code )?[45]\d\d(?:\W+(?:error\b\W*)?(?:(?:{_STATUS}"
    rf"|gone)\W*)?(?:error|"
    rf"{_THING} (?:not found|unavailable|missing|error).*)?)?|(?:{_STATUS})"
    rf"|(?:(?:the|this|that|requested) )*{_THING}(?: you (?:requested|wanted|are looking for))? (?:is |was "
    rf"|has |could |"
    r"can ?)?(?:not found|not be found|no longer (?:available|exists?|here)|(?:not |un)available(?: right now)?"
    r"|(?:been )?(?:moved|removed|deleted)|(?:does not|doesn['’]t) exist|under construction|(?:temporarily )?offline)"
    r"|(?:we(?:['’]re| are) )?(?:sorry,? )?we (?:can['’]?t|can ?not|could ?n['’]?o?t) (?:find|seem to find|locate) .*"
    r"|(?:oops|whoops|uh[- ]?oh)\b.*|(?:sorry,? )?something (?:went|has gone) wrong.*"
    r"|an? (?:unexpected )?error (?:has )?"
    r"occurred.*|(?:your )?session (?:has )?(?:expired|timed out|ended)|pardon our interruption|just a moment"
    r"|attention required|(?:we are )?checking (?:your browser|if the site connection is secure).*|verify(?:ing)? "
    r"(?:that )?you are (?:a )?human.*|are you (?:a robot|human)|please (?:complete"
    r"|solve) the (?:security check|captcha)"
    r".*|(?:please )?(?:enable|turn on) javascript.*|javascript (?:is |has been )?(?:required|disabled|turned off).*"
    r"|(?:your |this )?browser (?:is )?(?:not supported|unsupported|out of date)|unsupported browser"
    r"|(?:you have been|your (?:request|access) (?:has been|was|is)|sorry, you have been) (?:blocked|denied)"
    r"|request blocked"
    r"|(?:site |system |scheduled |planned |website )+maintenance.*|(?:down|closed|under"
    r"|undergoing) (?:for )?(?:scheduled "
    r"|planned |routine )?maintenance|we(?:['’]ll| will) be (?:right )?back.*|coming soon|object moved"
    r"|this (?:page|site) has moved|(?:request )?rate (?:limit|threshold) exceeded|request rate threshold exceeded"
    r"|.*\bundeclared automated tool|unusual (?:traffic|activity).*|page introuvable|accès (?:refusé|interdit)"
    r"|web ?(?:site|page) blocked|one moment,? please|whitelabel error page|runtime error"
    r"|.{0,20}\bcookies (?:are )?required"
    r"|robot or human|human or robot|.*\btechnical (?:difficulties|problems|error)|(?:your "
    r"|the )?request (?:could|can) ?not"
    r" be (?:completed|processed|served)|you must (?:be logged|log|sign) in.*|(?:this |the )?link is broken"
    rf"|(?:{_THING} )?(?:not found|unavailable|error) \(?[45]\d\d\)?"
    r"|(?:human |security )verification|redirecting|you are being redirected|waiting room"
    r"|you are (?:now )?in (?:a |the )?(?:queue|line)|virtual queue",
    re.IGNORECASE,
)
"""All of a title, or of a heading, that is an excuse by itself."""
_WEAK_HEADING = re.compile(
    r"error(?: page)?|sorry|we(?:['’]re| are) sorry|attention|warning|notice|problem|blocked|moved|unavailable"
    r"|expired|"
    r"maintenance|security check|request denied|offline|please wait|loading|welcome|sign in|log ?in|x|untitled"
    r"|home|nginx|apache.*|iis.*|",
    re.IGNORECASE,
)
"""One that says nothing else either."""
_LEAD = (
    r"(?:(?:we(?:['’]re| are) |we )?(?:very |truly )?(?:sorry|apologi[sz]e)\b[,.]?(?: but)? |unfortunately,? "
    r"|it (?:looks|seems) like |oops[,!.]* )*"
)
_EXCUSE = re.compile(
    rf"(?:^|(?<=[.!?…:] ))(?:# )?{_LEAD}(?:"
    rf"(?:the|this|that) (?:requested )?{_THING}\b(?: (?:that |which )?you(?:['’]re| are| were"
    rf"| have)? (?:requested|looking "
    rf"for|trying to (?:access|reach|view|open)|asked for|wanted|want))?.{{0,40}}?\b(?:not found|not be found"
    rf"|no longer"
    r"|not (?:be )?available|unavailable|does ?n[o'’]t exist|moved|removed|deleted|down for|under construction"
    r"|expired"
    r"|cannot be (?:shown|displayed)|(?:is )?(?:not|isn['’]t) (?:here|working)|(?:un)?able to (?:load|process))"
    r"|we (?:can['’]?t|can ?not|could ?n['’]?o?t|were unable to|are unable to) (?:find|locate|show|load|display"
    r"|process|"
    r"complete) (?:the|this|that|your|what)"
    r"|(?:an? |some )?(?:unexpected |internal |server |system )?(?:error|problem"
    r"|exception) (?:has )?(?:occurred|happened)"
    r"|something (?:went|has gone) wrong|your (?:session|login|connection) (?:has |was )?(?:expired|timed out|ended)"
    r"|your (?:request|access|ip(?: address)?|connection|browser)\b.{0,30}\b(?:blocked|denied|refused|not supported|"
    r"unsupported|limited|rejected|disabled|originates|out of date)"
    r"|you (?:do not|don['’]t) have (?:permission|access|authori[sz]ation) to (?:access|view|see|open)"
    r"|you (?:have been|were) (?:blocked|logged out|signed out|timed out|redirected)|you are being redirected"
    r"|as you were browsing|(?:please )?(?:enable|turn on|switch on) (?:javascript|cookies)|javascript (?:is|must be)"
    r"|this (?:site|page|application|app|website) (?:requires|needs|uses) (?:javascript|cookies|a (?:newer|modern))"
    r"|(?:please )?(?:verify|confirm|prove) (?:that )?you(?:['’]re| are) (?:a |not a )?(?:human|robot|real)"
    r"|(?:please )?(?:complete|solve|pass) (?:the|this|a) (?:security|captcha|challenge|puzzle)"
    r"|(?:our|the|this) (?:systems?|(?:web ?)?sites?|servers?|services?|online services?|online banking"
    r"|portal) (?:is|are)"
    r"\b.{0,30}\b(?:down|maintenance|unavailable|not available|offline|busy|overloaded|upgraded)"
    r"|we(?:['’]re| are) (?:currently )?(?:down|offline|performing|carrying out|doing|making|working on|upgrading)\b"
    r"|we (?:have )?(?:detected|noticed|received) (?:unusual|suspicious|too many|automated)"
    r"|(?:our systems (?:have )?)?(?:detected )?unusual traffic|access to this (?:page|site|resource"
    r"|server)\b.{0,30}\b"
    r"(?:denied|forbidden|blocked|restricted)|this (?:content|page|site|service) is not (?:available )?in your"
    r"|you are (?:now )?in (?:a |the )?(?:queue|line)|too many (?:requests|people|visitors)"
    r")",
    re.IGNORECASE,
)
"""How a sentence begins that tells a visitor that nothing is shown."""
_OFFER = re.compile(
    r"\b(?:(?:start|home|main|front|landing|previous|error) ?page|homepage|try (?:again|later|another|one of"
    r"|searching|"
    r"refreshing|reloading)|refresh|reload|go back|back to|(?:log|sign) (?:back )?in|(?:ray|incident|support"
    r"|reference|"
    r"request|error) (?:id|number|code)|reference #|site ?map|(?:use|try) (?:the|our) (?:search|menu|navigation"
    r"|links)|"
    r"search (?:box|bar|field|of this site)|check (?:the|that) (?:url|address|spelling|link)|your browser"
    r"|web browser|"
    r"clear your|cookies|javascript|webmaster|administrator|help ?desk|automatically|check back|come back|shortly|"
    r"captcha|bookmark|moment)\b",
    re.IGNORECASE,
)
"""What it tells the visitor to try, or to wait for."""
_FAILING = re.compile(
    r"\b(?:blocked|error|not found|denied|unavailable|cannot|can['’]?t|could not|unable|expired|disabled"
    r"|required|maintenance"
    r"|moment|human|robot|logged|subscribers?|broken|difficult(?:y|ies)|problems?|upgrad\w+|removed|sorry|moved|wait"
    r"|missing|offline|down|interruption|not supported|no longer|not available|forbidden)\b",
    re.IGNORECASE,
)
"""What a heading says of a failure, among other words."""
_MANY = 3
"""Things to try that a text under such a heading is an excuse with."""
_BETWEEN = re.compile(r"\s+[|·»›–—-]\s+|\s*[|»›·]\s*")
"""What stands between a heading and the name of its site."""
_TRIM = " .!…:#?"
_MOST_SIGNS = 5000
"""Characters of a text that are looked at."""


def excuse(text: str, title: str) -> str | None:
    """The words in which a short text says that it is not the one that was asked for, or None."""
    text = text[:_MOST_SIGNS]
    blocks = [block.strip() for block in text.split("\n\n") if block.strip()]
    heads = [title, *(block for block in blocks[:2] if block.startswith("#"))]
    named = [part.strip(_TRIM) for head in heads for part in _BETWEEN.split(head[:300].strip(_TRIM))]
    for part in named:
        if part and _PLAIN_HEADING.fullmatch(part):
            return part
    offers = {words.lower() for words in _OFFER.findall(text)}
    failing = next(filter(_FAILING.search, named), None)
    if failing is not None and len(offers) >= _MANY:
        return failing
    said = " ".join(" ".join(block.lstrip("#- ") for block in blocks).split()[:_LOOKED_AT])
    found = _EXCUSE.search(said)
    if found is None:
        return None
    bare = any(map(_WEAK_HEADING.fullmatch, named)) or not any(block.startswith("#") for block in blocks)
    enough = 0 if len(text.split()) < _FEW else 1 if bare else 2
    return " ".join(found[0].split()) if len(offers) >= enough else None
