"""What flows between the rooms, a file a subject."""
