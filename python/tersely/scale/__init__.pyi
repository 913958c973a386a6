from tersely.scale.dataset import (
    compress_dataset as compress_dataset,
)
from tersely.scale.dataset import (
    dataset_status as dataset_status,
)
from tersely.scale.dataset import (
    same_part as same_part,
)
from tersely.scale.dedup import dedup_dataset as dedup_dataset
from tersely.scale.report import Report as Report
from tersely.scale.rows import compress_table as compress_table
