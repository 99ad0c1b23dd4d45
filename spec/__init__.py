"""Every noun evalspec speaks, the file formats they travel in, and the shipped spec; no network, no clock."""
