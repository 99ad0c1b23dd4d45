"""One file a code of the compiler: its page, and its check or finding; `compiler.ruleset` lists them all."""
