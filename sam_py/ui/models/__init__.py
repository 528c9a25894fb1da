"""Read-only mirrors of the core for Qt's views. They coalesce changes to one update per frame and hold no truth."""
