#!/usr/bin/env python3
"""Serve a folder: httpd PORT FOLDER."""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

port, folder = sys.argv[1:]
ThreadingHTTPServer(("127.0.0.1", int(port)), partial(SimpleHTTPRequestHandler, directory=folder)).serve_forever()
