"""A plan and its journal in, a verified release out; calls no model."""
