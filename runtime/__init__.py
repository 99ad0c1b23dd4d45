"""Fills a plan's slots and journals each result when it is known; knows no user YAML and no SQL."""
