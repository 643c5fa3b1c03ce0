"""Why a source of data was passed over."""


class DataRefused(Exception):
    """A source cannot be used; its words say why, in one line. The next source is tried."""
