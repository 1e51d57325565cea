"""REST and websocket as a client of the server sees them."""
