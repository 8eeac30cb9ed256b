"""From an issue and a repository to the files, functions and lines that must change."""
