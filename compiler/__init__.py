"""A folder of YAML in, a Plan or diagnostics out; pure, offline, byte-stable."""
