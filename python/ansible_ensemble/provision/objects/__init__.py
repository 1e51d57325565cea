"""The objects on the wire: fields, defaults, names; what they are made of and nothing they do."""
