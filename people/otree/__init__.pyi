from .project import write_project as write_project
