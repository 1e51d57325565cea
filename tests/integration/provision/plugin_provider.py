#!/usr/bin/env python3
"""A provider of plugins, with no library but Python's own: it counts, fails, hangs and dies when it is told to."""

import http.client
import json
import os
import socket
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler

NAME = "counter"
CONTENT = """
meta: {Description: What the counter needs}
sections:
  params:
    counter/step: {Name: counter/step, Schema: {type: integer, default: 1}}
    counter/password: {Name: counter/password, Secure: true, Schema: {type: string}}
"""
DEFINITION = {
    "Name": NAME, "Version": "v1.2.3", "PluginVersion": 4, "HasPublish": True,
    "AvailableActions": [
        {"Command": "increment", "Model": "machines", "RequiredParams": ["counter/step"]},
        {"Command": "login", "Model": "machines", "OptionalParams": ["counter/password"]},
        {"Command": "heard", "Model": "plugins"},
        {"Command": "process", "Model": "plugins"},
        {"Command": "die", "Model": "plugins"},
        {"Command": "status"},
    ],
    "RequiredParams": ["counter/password"], "OptionalParams": ["counter/step"], "Content": CONTENT,
}  # fmt: skip


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("server")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def tell(what, body):
    connection = Connection(sys.argv[3])
    connection.request("POST", f"/api-server-plugin/v3/{what}", json.dumps(body), {"Content-Type": "application/json"})
    assert connection.getresponse().status < 300


class Plugin(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    heard, count, params = [], 0, {}

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        what = self.path.removeprefix("/api-plugin/v3/")
        status, answer = getattr(self, what)(json.loads(body) if body else None)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        if what == "stop":
            os._exit(0)

    def log_message(self, *_said):
        pass

    def config(self, params):
        Plugin.params = params
        tell("log", {"Level": "info", "Message": f"Received Config request: {params} as {os.environ['RS_TOKEN']}"})
        if params["counter/password"] == "refuse me":
            return 400, {"Code": 400, "Messages": [f"no login by {params['counter/password']}"]}
        return 200, {"Code": 200}

    def stop(self, _nothing):
        print("it stops", flush=True)
        return 200, {"Code": 200}

    def publish(self, event):
        Plugin.heard.append([event["Type"], event["Action"], event["Key"]])
        return 200, {"Code": 200}

    def action(self, asked):
        return getattr(self, f"do_{asked['Command']}")(asked)

    def do_increment(self, asked):
        Plugin.count += asked["Params"]["counter/step"]
        tell("publish", {"Type": "counter", "Action": "counted", "Key": asked["Model"]["Name"], "Object": Plugin.count})
        return 200, {"plugin": asked["Plugin"], "machine": asked["Model"]["Name"], "count": Plugin.count}

    def do_login(self, asked):
        message = f"no login by {asked['Params'].get('counter/password')}"
        print(message, flush=True)
        return 409, {"Code": 409, "Messages": [message]}

    def do_heard(self, _asked):
        return 200, Plugin.heard

    def do_process(self, _asked):
        return 200, os.getpid()

    def do_die(self, asked):
        print("dying of", Plugin.params["counter/password"], file=sys.stderr, flush=True)
        if asked["Params"].get("slowly"):
            time.sleep(3600)
        os._exit(3)


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self):
        request, _address = super().get_request()
        return request, ("server", 0)


if sys.argv[1] == "define":
    print(json.dumps(DEFINITION))
else:
    with Server(sys.argv[2], Plugin) as server:
        print("READY!", flush=True)
        server.serve_forever()
