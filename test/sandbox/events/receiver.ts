import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A message that a receiver got. */
export interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a receiver answers: a status, or whatever it does with the response. */
export type Answer = number | ((response: ServerResponse, got: Got) => void);

/** A webhook of a test, on a free port of this machine. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly got: readonly Got[];
}

/** Starts a receiver that answers 204, or for each message what a function says. */
export async function receive(answer: (number: number) => Answer = () => 204): Promise<Receiver> {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    const one = { headers: request.headers, body: await text(request) };
    got.push(one);
    const given = answer(got.length);
    if (typeof given === "number") response.writeHead(given).end();
    else given(response, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
