"""pandas is kept out of pyarrow's way in a process of our own, and no other import is."""

import subprocess
import sys

PROGRAM = """
import importlib, sys, threading
from evalspec.outputs import database

class Slow:
    '''A finder that is at work while the other thread begins and ends.'''
    def find_spec(self, name, *_):
        if name == "colorsys":
            looking.set()
            done.wait(30)

looking, done = threading.Event(), threading.Event()
last = [getattr(finder, "__name__", "") for finder in sys.meta_path].index("PathFinder")
sys.meta_path.insert(last, Slow())
found = []

def load():
    found.append(importlib.import_module("colorsys"))

def array(_values):
    thread.start()
    looking.wait(30)

thread = threading.Thread(target=load)
import pyarrow
real, pyarrow.array = pyarrow.array, array
database.spare_pandas()
done.set()
thread.join()
pyarrow.array = real
database.spare_pandas()
print(len(found), "pandas" in sys.modules, [type(f).__name__ for f in sys.meta_path].count("_NoPandas"))
"""


def test_an_import_in_another_thread_meanwhile_finds_its_module() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("1 False 0\n", "")
