"""Histories of chats and agents, made smaller."""
