"""Suites in, scored and gated reports out; stands on the four other packages, and none of them knows it."""
