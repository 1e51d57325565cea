class EnsembleError(Exception):
    exit_code = 1


class InvalidInput(EnsembleError):
    exit_code = 3


class Locked(EnsembleError):
    exit_code = 4
