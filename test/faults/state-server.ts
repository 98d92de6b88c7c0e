import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RequestRule } from "../../src/sandbox/faults/script.ts";
import { chooser } from "../platform.ts";

/** What goes wrong with one request to the state server. */
export interface ServerFault extends RequestRule {
  readonly do: "reset" | 500 | 403;
  /** Whether it was done all the same. */
  readonly commit: boolean;
}

/** A server of Terraform's HTTP state protocol that fails as it is told. */
export interface StateServer {
  readonly url: string;
  /** What is saved. */
  text(): string | undefined;
  /** From now on it works. */
  heal(): void;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body?: string | undefined;
}

/** Something that the server says that it does, and does not. */
export type Pretence = "locks" | "saves";

/** Serves one state, at `/state`. */
export async function serveState(
  faults: readonly ServerFault[],
  pretence?: Pretence,
): Promise<StateServer> {
  let pretended = pretence;
  let choose = chooser(faults);
  let saved: string | undefined;
  let lock: string | undefined;

  const idOf = (info: string | undefined) =>
    info === undefined ? undefined : (JSON.parse(info) as { ID: string }).ID;

  /** As the protocol has it: who saves or unlocks must be the holder. */
  const methods: Readonly<Record<string, (body: string, query: URLSearchParams) => Reply>> = {
    GET: () => (saved === undefined ? { status: 404 } : { status: 200, body: saved }),
    POST: (body, query) => {
      if (pretended === undefined && query.get("ID") !== idOf(lock)) {
        return { status: 409, body: lock };
      }
      if (pretended !== "saves") saved = body;
      return { status: 200 };
    },
    LOCK: (body) => {
      if (lock !== undefined && pretended !== "locks") return { status: 423, body: lock };
      lock = body;
      return { status: 200 };
    },
    UNLOCK: (body) => {
      const isOthers = lock !== undefined && idOf(body) !== idOf(lock);
      if (isOthers && pretended !== "locks") return { status: 409, body: lock };
      lock = undefined;
      return { status: 200 };
    },
  };

  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://state.test");
    const method = request.method ?? "";
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const fault = choose(method, pathname);
    const act = () =>
      methods[method]?.(Buffer.concat(chunks).toString(), searchParams) ?? { status: 405 };
    const reply = fault === undefined || fault.commit ? act() : { status: 0 };
    if (fault?.do === "reset") {
      request.socket.resetAndDestroy();
      return;
    }
    response.statusCode = fault?.do ?? reply.status;
    response.end(fault ? "scripted" : reply.body);
  }

  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/state`,
    text: () => saved,
    heal: () => {
      choose = () => undefined;
      pretended = undefined;
      lock = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
