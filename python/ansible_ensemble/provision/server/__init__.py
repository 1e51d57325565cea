"""HTTP, websockets, authentication and logs; thin over service and store."""
