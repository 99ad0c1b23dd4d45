"""Eyes on the data: a release as local pages, and what a reviewer decided about its groups."""
