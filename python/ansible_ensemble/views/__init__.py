"""The model as expressions see it: instances and their parts with their values, and what is read of them."""
