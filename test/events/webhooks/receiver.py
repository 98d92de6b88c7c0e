"""A receiver on Python's http.server, as its documentation would write one."""
import base64, hashlib, hmac, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(sys.argv[1].removeprefix("whsec_"))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(204 if self.holds(body) else 401)
        self.end_headers()

    def holds(self, body):
        id, stamp, given = (self.headers.get(f"svix-{name}", "") for name in ("id", "timestamp", "signature"))
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
            return False
        digest = hmac.new(KEY, f"{id}.{stamp}.".encode() + body, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        return any(hmac.compare_digest(expected, one) for one in given.split(" "))

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
