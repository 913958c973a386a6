from tersely.scale.dataset import (
    compress_dataset as compress_dataset,
    dataset_status as dataset_status,
    dedup_dataset as dedup_dataset,
)
from tersely.scale.rows import compress_table as compress_table
