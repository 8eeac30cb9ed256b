"""From a brief to a patch."""
