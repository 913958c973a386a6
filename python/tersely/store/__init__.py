"""Store texts and their compressed versions in one file, and get every original back.

>>> import tempfile
>>> from tersely.store import Store
>>> with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/texts.sqlite") as store:
...     first = store.put("The whole story, with every detail.", id="msg_1")
...     second = store.replace("msg_1", "The story.")
...     store.get("msg_1").text, store.expand("msg_1"), second.version
('The story.', 'The whole story, with every detail.', 2)
"""

from tersely.store.store import Store
from tersely.store.versions import CompressionRecord

__all__ = ["CompressionRecord", "Store"]
