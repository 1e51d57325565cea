"""What a request does within one transaction, without HTTP."""
