"""Histories of chats and agents: what stays stated, how long it takes, how stable the start is."""
