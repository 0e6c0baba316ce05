"""Keep pytest from importing the build, whose libraries the package itself does not need."""

collect_ignore_glob = ["*.py", "*.md"]
