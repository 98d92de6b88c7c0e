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
  /** The messages; empty if they are not kept. */
  readonly got: readonly Got[];
  /** The field `number` of the data of all messages. */
  readonly numbers: ReadonlySet<number>;
  count(): number;
}

/**
 * Starts a receiver that answers 204, or for each message what a function says.
 * @param options `keeps`: whether it keeps the messages, of which a bench has too many
 */
export async function receive(
  answer: (number: number, got: Got) => Answer = () => 204,
  { keeps = true } = {},
): Promise<Receiver> {
  const got: Got[] = [];
  const numbers = new Set<number>();
  let count = 0;
  const server = createServer(async (request, response) => {
    const one = { headers: request.headers, body: await text(request) };
    count += 1;
    if (keeps) got.push(one);
    const given = answer(count, one);
    // What is refused has not arrived.
    if (given === 204) numbers.add(numberIn(one.body));
    if (typeof given === "number") response.writeHead(given).end();
    else given(response, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    numbers,
    count: () => count,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function numberIn(body: string): number {
  const number = /"number":(\d+)/u.exec(body)?.[1];
  return number === undefined ? Number.NaN : Number(number);
}
