"""Segments of an agent's context, which keep the active state when they shrink; names: `tersely.memory`."""
