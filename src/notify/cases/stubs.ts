import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { type Answer, CONNECTION_HEADERS, post } from "../../events/message/post.ts";
import {
  SIGNATURE_HEADERS,
  secretProblem,
  signatureHeaders,
  verifySignature,
} from "../../events/message/signature.ts";
import { listenHere } from "../../runtime/local-server.ts";
import { Secret } from "../../secrets/secret.ts";
import { readWithin } from "../../values/basics.ts";
import type { CasesFile } from "./schema.ts";

/** Bodies have 300 KB at most, with a configURL in place of what is longer. */
const MAX_BODY_BYTES = 2 ** 20;

/** How the stub of a webhook answers. */
export interface StubBehaviour {
  readonly status?: number | undefined;
  /** The number of messages that get this answer; absent: all. */
  readonly times?: number | undefined;
  readonly control?: "disable" | "abort-message" | undefined;
}

/** A receiver of the user's own. */
export interface LocalReceiver {
  readonly url: string;
  /** Its signing secret; absent: it gets the signatures of the simulated platform. */
  readonly secret?: string | undefined;
}

/** The receiver of one webhook destination in one case. */
export interface Stub {
  readonly behaviour: StubBehaviour;
  /** The receiver that messages are passed on to. */
  readonly forwardTo?: LocalReceiver | undefined;
  /** The signing secret; known once the destination exists. */
  secret?: string | undefined;
  /** Why the signature of a message does not hold, by its ID; undefined for one that valid. */
  readonly signatures: Map<string, string | undefined>;
  received: number;
  /** Why the receiver that messages are passed on to gave the last one no answer. */
  unreached?: string | undefined;
}

/** A server on this machine that receives what a routing delivers. */
export interface StubServer {
  /** Adds a receiver, and returns its URL. */
  add(stub: Stub): string;
  close(): Promise<void>;
}

/** Starts the server, on a free port of this machine. */
export async function startStubs(now: () => Date): Promise<StubServer> {
  const stubs = new Map<string, Stub>();
  const server = createServer((request, response) => {
    const stub = stubs.get(request.url ?? "");
    if (stub === undefined) return void response.writeHead(404).end();
    const receive = async () => {
      const body = await readWithin(request, MAX_BODY_BYTES);
      if (body === undefined) throw new Error("the body is too long");
      await answer(stub, { headers: request.headers, body }, response, now());
    };
    void receive().catch(() => response.destroy());
  });
  const { url, close } = await listenHere(server);
  return {
    add: (stub) => {
      const path = `/receivers/${stubs.size + 1}`;
      stubs.set(path, stub);
      return url + path;
    },
    close,
  };
}

interface StubRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function answer(
  stub: Stub,
  request: StubRequest,
  response: ServerResponse,
  now: Date,
): Promise<void> {
  const { behaviour, forwardTo, secret, signatures } = stub;
  stub.received += 1;
  const id = String(request.headers["svix-id"] ?? "");
  const verified = verifySignature(request, secret === undefined ? [] : [secret], now);
  signatures.set(id, verified.valid ? undefined : verified.reason);
  const { status, times = Number.POSITIVE_INFINITY, control } = behaviour;
  if (stub.received <= times && (status !== undefined || control !== undefined)) {
    response.writeHead(status ?? 204, control === undefined ? {} : { "webhook-delivery": control });
    return void response.end();
  }
  const own = forwardTo?.secret;
  // The platform makes the secret of each webhook, so that a receiver cannot have it.
  const sent = own !== undefined && verified.valid ? signedAgain(request, id, own) : request;
  const passedOn = forwardTo && (await forward(forwardTo.url, sent));
  const { status: answered, failure } = passedOn ?? { status: 204 };
  stub.unreached = answered === undefined ? failure?.reason : undefined;
  response.writeHead(answered ?? 502).end();
}

/** A message with its ID and time, signed with another secret. */
function signedAgain({ headers, body }: StubRequest, id: string, secret: string): StubRequest {
  const time = new Date(Number(headers[SIGNATURE_HEADERS.timestamp]) * 1000);
  const signed = signatureHeaders({ id, time, body: body.toString("utf8") }, [secret]);
  return { headers: { ...headers, ...signed }, body };
}

/** Passes a message on as it came. */
function forward(url: string, { headers, body }: StubRequest): Promise<Answer> {
  const passed = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name));
  return post(new URL(url), { headers: Object.fromEntries(passed), body });
}

/** The receivers of the user's own, with their secrets, which are redacted from then on. */
export function localReceivers(
  to: CasesFile["to"] = {},
  variable: (name: string) => string | undefined,
  error: (at: readonly PropertyKey[], message: string) => void,
): ReadonlyMap<string, LocalReceiver> {
  return new Map(
    Object.entries(to).map(([name, receiver]): [string, LocalReceiver] => {
      if (typeof receiver === "string") return [name, { url: receiver }];
      const from = /^env:([A-Za-z_]\w*)$/u.exec(receiver.secret)?.[1];
      const secret = from === undefined ? undefined : variable(from);
      const unset =
        from === undefined ? "secret must be env:VARIABLE" : `the variable ${from} is not set`;
      const problem = secret ? secretProblem(secret) : unset;
      if (problem !== undefined) error(["to", name, "secret"], problem);
      return [name, { url: receiver.url, secret: secret && new Secret(secret).reveal() }];
    }),
  );
}
