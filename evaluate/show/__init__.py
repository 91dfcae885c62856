"""Tables, figures and numbers, as terminals, pages and files show them."""
