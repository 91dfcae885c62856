"""Effect of the answer format in a prompt on the answers, in matched pairs."""
