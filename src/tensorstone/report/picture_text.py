"""Words in a picture. A picture in a page is a script of that page, which `</script>` would end."""

from __future__ import annotations

UNSEEN = "\u200b"  # a space of no width


def picture_text(words: str) -> str:
    """The same to the eye, and never the end or a comment of a script."""
    return words.replace("</", f"<{UNSEEN}/").replace("<!", f"<{UNSEEN}!")
