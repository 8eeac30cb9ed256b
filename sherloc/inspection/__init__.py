"""Questions about a repository rather than an issue: how a file stands, what is stored of it."""
