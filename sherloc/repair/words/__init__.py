"""The fixed texts of pull requests and comments, a JSON file a language."""
