"""How pages are served: addresses, guards, sign-in, templates."""
