"""A corpus on a Ray cluster of three nodes: the bytes of one machine, also when a node dies.

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
    for _ in range(2):
        made.add_node(num_cpus=1)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


def test_three_nodes_give_the_bytes_of_one_machine_and_so_do_they_when_one_dies(
    cluster: Any, tmp_path: Path
) -> None:
    source = write_parquet(tmp_path / "in.parquet", make_rows(64))
    compress_dataset(source, tmp_path / "here", workers=0, unit_bytes=SMALL)
    wanted = bytes_of(tmp_path / "here")
    compress_dataset(source, tmp_path / "three", on=cluster.address, unit_bytes=SMALL)
    assert bytes_of(tmp_path / "three") == wanted

    texts = [
        {"text": f"The gates of {row['id'][:5]} open for {row['number'] % 9}."} for row in make_rows(200)
    ]
    alike = write_parquet(tmp_path / "alike.parquet", texts)
    dedup_dataset(alike, tmp_path / "here dedup", workers=0, unit_bytes=SMALL, heavy_bytes=2000)
    dedup_dataset(alike, tmp_path / "three dedup", on=cluster.address, unit_bytes=SMALL, heavy_bytes=2000)
    assert bytes_of(tmp_path / "three dedup") == bytes_of(tmp_path / "here dedup")

    killed: list[Any] = []

    def kill(_: Any) -> None:
        """Kill a node that this process is not connected to, which of those on one machine may be any."""
        if not killed:
            here = ray._private.worker.global_worker.node._raylet_socket_name
            killed.append(next(node for node in cluster.worker_nodes if node._raylet_socket_name != here))
            cluster.remove_node(killed[0], allow_graceful=False)

    compress_dataset(source, tmp_path / "fewer", on=cluster.address, unit_bytes=SMALL, progress=kill)
    assert killed and bytes_of(tmp_path / "fewer") == wanted
