"""Serves AWX's API on loopback, by threads that stay, and with them their connections to the database."""

from concurrent.futures import ThreadPoolExecutor
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from awx.wsgi import application


class Server(ThreadingMixIn, WSGIServer):
    threads = ThreadPoolExecutor(8)

    def process_request(self, request, client_address):
        self.threads.submit(self.process_request_thread, request, client_address)


make_server("127.0.0.1", 8052, application, server_class=Server).serve_forever()
