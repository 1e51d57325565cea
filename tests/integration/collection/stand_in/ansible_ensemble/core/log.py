"""Stands for the log, which is off."""


def follow(environment):
    pass
