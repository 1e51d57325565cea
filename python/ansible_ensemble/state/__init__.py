"""The state of ensembles where it does not live in their folders: locations, copies, locks."""
