"""What amounts are written with, besides signs: codes and words of currencies, magnitudes, numbers and per cent."""

_ISO = """
AED AFN ANG AOA ARS AUD AWG AZN BBD BDT BGN BHD BIF BMD BND BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNH CNY CRC CZK
DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY
KES KGS KHR KMF KPW KRW KWD KYD KZT LBP LKR LRD LSL LYD MDL MGA MKD MMK MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK
NPR NZD OMR PAB PGK PHP PKR PLN PYG QAR RMB RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SRD SSP STN SVC SYP SZL THB TJS
TMT TND TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG USDT USDC BTC ETH
"""
_WORDLIKE = "ALL AMD BAM BOB COP CUP GEL LAK MAD MOP PEN RON SDG SOS TOP TRY SR"
_COMMON = "usd eur gbp inr pkr aed sar bdt"
_BEFORE = "Rs Rs. Dh Dhs Dh. Dhs. Tk Tk. RM kr kr. zł Kč"
_AFTER = "Rs Dh Dhs Tk kr zł Kč"
_NAMES = """
dollar dollars buck bucks cent cents euro euros pound pounds quid pence penny yen yuan renminbi rupee rupees paisa paise
dirham dirhams riyal riyals rial rials taka dinar dinars franc francs peso pesos krone kroner krona kronor lira liras
rand shekel shekels ringgit baht naira złoty zloty forint
টাকা ডলার ইউরো রুপি रुपये रुपया डॉलर روپے روپیہ ڈالر درهم دراهم ريال ريالات دولار يورو جنيه
"""
_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion lakh crore
"""

CODES = tuple(_ISO.split())
"""ISO 4217 codes and four of crypto assets, less the next ones."""
CODES_THAT_ARE_WORDS = tuple(_WORDLIKE.split())
"""Codes that are words, names or tickers too: money only beside an amount with decimals or grouping."""
CODES_IN_ANY_CASE = tuple(_COMMON.split())
SHORT_BEFORE = tuple(_BEFORE.split())
SHORT_AFTER = tuple(_AFTER.split())
CURRENCIES = tuple(_NAMES.split())
NUMBERS = tuple(_NUMBERS.split())
MAGNITUDES = {
    "hundred": 100,
    "thousand": 10**3,
    "lakh": 10**5,
    "lakhs": 10**5,
    "million": 10**6,
    "mn": 10**6,
    "mln": 10**6,
    "crore": 10**7,
    "crores": 10**7,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "tn": 10**12,
}
LETTERS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
"""Magnitudes of one letter, joined to the number."""
PER_CENT = ("per cent", "percent", "pct", "শতাংশ", "प्रतिशत", "فیصد", "في المئة", "في المائة", "بالمئة", "بالمائة")
