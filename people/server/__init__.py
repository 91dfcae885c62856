"""Web server of the pages: routing, security, sign-in, forms, templates."""
