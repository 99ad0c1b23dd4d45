"""What all tests stand on: signals are heard, loopback is reached without a proxy, and nothing asks for colour."""

import os
import signal

for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
    # tests in the background or under nohup ignore some, and so would the commands that they start and stop
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)

for _name in list(os.environ):
    if _name.lower().endswith("_proxy") or _name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        del os.environ[_name]
