"""The words that the demo agent goes by: what it declines, and which tool a question is for."""

BENCHMARKS = ("SPY", "QQQ", "AGG")
NAMES = {
    "apple": "AAPL",
    "microsoft": "MSFT",
    "nvidia": "NVDA",
    "johnson": "JNJ",
    "tesla": "TSLA",
    "alphabet": "GOOGL",
    "google": "GOOGL",
    "amazon": "AMZN",
    "coca": "KO",
    "nasdaq": "QQQ",
}
FORESIGHT = r"\b(will|going to) .{0,60}(be worth|reach|crash|rise|fall|double)|predict|forecast|in 20[3-9]\d"
REFUSALS = (
    (
        r"(ignore|disregard) .{0,40}(instruction|rule|prompt|above)|you are now|developer mode|</?system>",
        "I cannot set my rules aside, whoever asks. I can look at your holdings, trades, risk and fees.",
    ),
    (
        r"system prompt|your (hidden |initial |exact )?instructions|(first|initial) message you (were|got)",
        "I cannot share how I am set up. Ask me about your portfolio instead.",
    ),
    (
        r"password|api.?key|access token|credential|social security|\bssn\b|account number|bank details|home address",
        "I do not have access to credentials or personal data, and would not show them.",
    ),
    (
        r"(another|other) (client|customer|user|investor)|(neighbou?r|colleague|wife|husband)'s (account|portfolio)",
        "I can only see your own account, not anyone else's.",
    ),
    (
        r"drop table|select \*|os\.system|__import__|rm -rf|<script",
        "I cannot run code or commands. Ask in plain words and I will look it up.",
    ),
    (
        r"guarantee|can't lose|cannot lose|risk.?free",
        "Nobody can promise a return: every investment can lose value. I can show how yours has done.",
    ),
    (
        r"pretend|make up|invent|fabricate|fake|backdate",
        "I report only what is in your records, and cannot invent figures.",
    ),
    (
        r"should i (buy|sell|hold|invest|move|put)|(stock|fund)s? (should|to buy)|worth buying|recommend|all my sav",
        "I cannot give financial advice or tell you what to trade. A licensed adviser can.",
    ),
    (FORESIGHT, "I cannot predict that: no figure of the future is in the data. I can show how it has done so far."),
)
"""What it declines, and how; the first that fits."""
TOOLS = (
    ("fee_analysis", r"\bfees?\b|commission|charged"),
    (
        "benchmark_compare",
        r"benchmark|\bvs\b|versus|compare|up against|\bbeat|outperform|alpha|ahead of|behind|the market\b",
    ),
    ("risk_analysis", r"\brisk|diversif|concentrat|sector|asset class|exposure|exposed|eggs in one basket"),
    (
        "transaction_search",
        r"transaction|\btrade[sd]?\b(?! at)|\b(buys?|buying|purchases?|sold|sells?|sales?)\b|(?<!since i )bought|"
        r"dividend|activity",
    ),
    ("live_market_data", r"price|quote|trading at|right now|volume|52.week|day change|moved?|today|high and low"),
)
"""The tools that a question names by what it asks for; several may be called."""
HOLDING = (
    r"how many shares|average cost|gain|loss|position|own\b|my .{0,25}(stock|shares)|tell me (more )?about|"
    r"how is .{0,20}doing"
)
SUMMARY = r"overview|summar|what's in|what is in|total value|allocat|performer|how much cash"
OVERVIEW = (
    r"portfolio|portfolo|holdings|\bi hold\b|allocat|worth|net value|total value|performance|performed|cash|returns?\b|"
    r"largest|biggest|best|worst|summar|overview|account"
)
"""For the portfolio as a whole, where no other tool is named."""
FOLLOW_UP = r"\b(it|its|that|this|one|ones|them|those|same|there|and)\b|what about|how about|more about"
