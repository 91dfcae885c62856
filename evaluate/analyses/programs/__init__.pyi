from .replication import NAME as NAME, designs as designs
