"""How pages are served: addresses, guards, sign-in, forms, templates."""
