"""The functions of sprig, by what they are about."""
