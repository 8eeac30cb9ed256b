"""A report for people: on a terminal (``terminal``) and as Markdown (``markdown``)."""
