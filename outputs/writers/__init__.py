"""Writers of the files of a release: one format a module, each a function of a folder and what goes into it."""
