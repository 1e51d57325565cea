"""Serves AWX's API on loopback, with a thread for each request."""

from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from awx.wsgi import application


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


make_server("127.0.0.1", 8052, application, server_class=Server).serve_forever()
