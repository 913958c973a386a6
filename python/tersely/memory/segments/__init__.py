"""Segments of an agent's context that keep the active state when they shrink; `tersely.memory` offers the names."""
