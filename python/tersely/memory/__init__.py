"""Memory of agents: histories made smaller; segments of context that keep the active state.

What is offered loads when it is first asked for.
"""

from tersely.lazy import load_late

__getattr__, __dir__, __all__ = load_late(__name__, __file__)
