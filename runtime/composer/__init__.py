"""Composes replies from facts and forms, with no model: small, generic, and the same for the same slot."""
