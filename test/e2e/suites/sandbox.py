"""The same suite as sandbox.mjs, in Python: 50 tests at once, each in its own project."""

import json
import os
import queue
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

BASE_URL = os.environ["AMP_BASE_URL"]
ORIGIN = "{0.scheme}://{0.netloc}".format(urlsplit(BASE_URL))
TOKEN = {"Authorization": "Bearer " + os.environ["AMP_SANDBOX_TOKEN"]}
EVENT = "connection.error"


def ask(url, body=None, credential={"X-Api-Key": "sandbox-api-key"}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **credential}
    with urlopen(Request(url, data, headers), timeout=30) as answer:
        return json.load(answer)


class Receiver:
    def __init__(self):
        self.messages = messages = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                messages.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class EventReachesTheWebhookOfItsProjectAlone(unittest.TestCase):
    def check(self, number):
        project = f"p{number}"
        own = f"{BASE_URL}/projects/{project}"
        with Receiver() as receiver:
            self.assertEqual(ask(f"{own}/topics"), [])
            topic = ask(f"{own}/topics", {"name": "all"})["id"]
            webhook = {"name": "hook", "type": "webhook", "metadata": {"url": receiver.url}}
            destination = ask(f"{own}/destinations", webhook)["id"]
            ask(f"{own}/notification-event-topic-routes", {"topicId": topic, "eventType": EVENT})
            ends = {"topicId": topic, "destinationId": destination}
            ask(f"{own}/topic-destination-routes", ends)
            event = {"type": EVENT, "project": project, "data": {"number": number}}
            ask(f"{ORIGIN}/_sandbox/trigger", event, TOKEN)
            self.assertEqual(receiver.messages.get(timeout=30)["data"]["number"], number)
            self.assertTrue(receiver.messages.empty())
            latest = ask(f"{ORIGIN}/_sandbox/latest/{EVENT}?project={project}")
            self.assertEqual(latest["data"]["number"], number)


for number in range(50):
    name = f"test_project_{number}"
    method = lambda self, number=number: self.check(number)
    setattr(EventReachesTheWebhookOfItsProjectAlone, name, method)


class AtOnce(unittest.TestSuite):
    def run(self, result, debug=False):
        ask(f"{ORIGIN}/_sandbox/reset", {}, TOKEN)
        with ThreadPoolExecutor(50) as pool:
            list(pool.map(lambda each: each(result), [test for suite in self for test in suite]))
        return result


def load_tests(_loader, tests, _pattern):
    return AtOnce(tests)


if __name__ == "__main__":
    unittest.main()
