"""`ansible-ensemble provision VERB`: one module for each verb, named in the catalogue."""
