from .declaration import Entrant as Entrant, designs as designs, entrant as entrant, standard as standard
