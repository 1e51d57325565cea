"""YAML with places, surgical writing, merge directives, CSARs, path confinement, the schema of an ensemble."""
