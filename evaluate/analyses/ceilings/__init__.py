"""What the best possible player could earn against a pool, as far as it is known."""
