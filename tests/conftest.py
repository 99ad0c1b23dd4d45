"""What all tests stand on: signals are heard, and servers on loopback are reached without a proxy."""

import os
import signal

for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
    # tests in the background or under nohup ignore some, and so would the commands that they start and stop
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)

for _name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[_name]
