"""A corpus: what the plan, the parts and the processes cost beside a plain loop, and what kills change."""
