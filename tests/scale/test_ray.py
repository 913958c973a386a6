"""A corpus on a Ray cluster of two nodes: the bytes of one machine, also when a node dies.

Opt-in: pip install 'tersely[ray]', then pytest --slow tests/scale/test_ray.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")

from ray.cluster_utils import Cluster  # noqa: E402
from row_corpus import bytes_of, make_rows, write_parquet  # noqa: E402
from tersely.scale import compress_dataset, dedup_dataset  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # of Ray's own
SMALL = 4096


@pytest.fixture
def cluster() -> Iterator[Any]:
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


def test_two_nodes_give_the_bytes_of_one_machine_and_so_do_they_when_one_dies(
    cluster: Any, tmp_path: Path
) -> None:
    source = write_parquet(tmp_path / "in.parquet", make_rows(64))
    compress_dataset(source, tmp_path / "here", workers=0, unit_bytes=SMALL)
    wanted = bytes_of(tmp_path / "here")
    compress_dataset(source, tmp_path / "two", on=cluster.address, unit_bytes=SMALL)
    assert bytes_of(tmp_path / "two") == wanted

    texts = [
        {"text": f"The gates of {row['id'][:5]} open for {row['number'] % 9}."} for row in make_rows(200)
    ]
    alike = write_parquet(tmp_path / "alike.parquet", texts)
    dedup_dataset(alike, tmp_path / "here dedup", workers=0, unit_bytes=SMALL, heavy_bytes=2000)
    dedup_dataset(alike, tmp_path / "two dedup", on=cluster.address, unit_bytes=SMALL, heavy_bytes=2000)
    assert bytes_of(tmp_path / "two dedup") == bytes_of(tmp_path / "here dedup")

    victims = list(cluster.worker_nodes)

    def kill(_: Any) -> None:
        if victims:
            cluster.remove_node(victims.pop(), allow_graceful=False)

    compress_dataset(source, tmp_path / "one", on=cluster.address, unit_bytes=SMALL, progress=kill)
    assert bytes_of(tmp_path / "one") == wanted
