"""Planted defects: each changes one thing of a right backend, as a developer may get it wrong.

`../../defects.json` says in words what each does and which clauses have to name it.
"""

PLANTED = {}


class Parts:
    """What a defect can change: the objects of the backend, and the class of its connections."""

    def __init__(self, server):
        server.RequestHandlerClass = type("Defective", (server.RequestHandlerClass,), {})
        self.server, self.handler, self.backend = server, server.RequestHandlerClass, server.backend
        self.intake, self.store = self.backend.intake, self.backend.store
        self.tokens, self.commands = self.backend.tokens, self.backend.commands


def defect(function):
    PLANTED[function.__name__.replace("_", "-")] = function
    return function


def around(owner, name):
    """Puts the decorated function in the place of a method; it gets the method as its first argument."""

    def replace(function):
        method = getattr(owner, name)
        setattr(owner, name, lambda *arguments: function(method, *arguments))
        return function

    return replace


def plant(name, server):
    if name not in PLANTED:
        raise SystemExit(f"no defect is named {name}; --list-defects lists them")
    parts = Parts(server)
    if PLANTED[name].__module__ == "defects.token" and not parts.tokens:
        raise SystemExit(f"the defect {name} needs --tokens")
    PLANTED[name](parts)


from defects import arrival, command, content, rare, shape, storage, token, trouble, value, wiring  # noqa: E402, F401
