"""Tools for agents over the Model Context Protocol: search with compression, and compression itself.

A group of tools is a file (`query_tools`, `text_tools`); `application` makes a server of any groups, `stdio`
and `http` run it. Only these three need the `mcp` package.
"""
