"""A small MCP client for the tests of this folder: one server process, one call at a time."""

import json
import subprocess


class Server:
    """`baton serve` over its standard streams."""

    def __init__(self, baton, store, *flags, folder=None, environment=None, capabilities=None):
        self.process = subprocess.Popen(
            [baton, "serve", "--db", store, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, cwd=folder, env=environment)
        self.last_id = 0
        self.answers = None  # what the client answers to every question of the server
        self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": capabilities or {},
            "clientInfo": {"name": "stores", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(f"the server ended during {method}")
            message = json.loads(line)
            if "method" in message and "id" in message and self.answers is not None:
                self.send({"id": message["id"], "result": self.answers})
            if message.get("id") == self.last_id and "method" not in message:
                return message

    def call(self, tool, **arguments):
        """What the tool answers, structured; an error has a `code`."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]["structuredContent"]

    def advance(self, token, notes="Done.", **more):
        return self.call("continue_workflow", ackToken=token,
                         output={"notesMarkdown": notes, **more.pop("output", {})}, **more)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(30)
        self.process.stdout.close()
