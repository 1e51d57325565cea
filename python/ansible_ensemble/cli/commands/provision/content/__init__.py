"""`ansible-ensemble provision content VERB`: packs of content."""
