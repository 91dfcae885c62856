"""Studies in oTree: a project is written, and what its app asks for is answered here. Nothing here needs a server."""
