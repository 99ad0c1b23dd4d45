"""Parses, calls, renders, exits; the only package that prints, and the owner of a run's loop."""
