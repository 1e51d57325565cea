"""Remote state of ensembles: locations, copies, locks."""
