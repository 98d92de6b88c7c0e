import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A service that lets one of its creates wait for ever. */
export interface SlowService {
  readonly url: string;
  /** Resolves once that create has arrived here, and, where it is passed on, was answered there. */
  readonly reached: Promise<void>;
}

/**
 * Stands before a service and passes all on but the answer to the `nth` create, counted from 1.
 * @param passedOn whether the service behind gets to see that create
 * @param refused the problem with which it is answered in place of waiting
 */
export async function slowService(
  behind: string,
  { nth, passedOn, refused }: { nth: number; passedOn: boolean; refused?: object },
): Promise<SlowService> {
  const reached = Promise.withResolvers<void>();
  let creates = 0;
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === "POST") creates += 1;
    if (incoming.method !== "POST" || creates !== nth) pass(behind, incoming, outgoing);
    else if (refused) outgoing.writeHead(422, PROBLEM).end(JSON.stringify(refused));
    else if (passedOn) pass(behind, incoming, undefined, reached.resolve);
    else reached.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, reached: reached.promise };
}

const PROBLEM = { "content-type": "application/problem+json" };

function pass(
  behind: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse | undefined,
  answered = () => {},
): void {
  const { method, headers, url = "" } = incoming;
  const sent = request(new URL(url, behind), { method, headers }, (answer) => {
    if (outgoing === undefined) {
      answer.resume();
      answer.once("end", answered);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(sent);
}
