"""What `tersely.detect` can say of a text: kinds and languages."""

from tersely.core.detection import KINDS, LANGUAGES, Detection

__all__ = ["KINDS", "LANGUAGES", "Detection"]
