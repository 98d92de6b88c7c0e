import { SANDBOX_API_KEY } from "../../src/sandbox/defaults.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { UNROUTED } from "../unrouted.ts";

/** The clock of the tests: it stands still. */
export const NOW = new Date("2026-09-02T08:30:00.000Z");

/** An answer with its body read. */
export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has any shape, and the test tells which
  readonly body: any;
}

/** A sandbox with a standing clock, and a main project without routing. */
export function fresh(options: SandboxOptions = {}): Sandbox {
  return createSandbox({ now: () => NOW, ...options, state: options.state ?? UNROUTED });
}

/** One request such as `POST /projects/acme/topics`, with the API key unless headers are given. */
export async function ask(
  sandbox: Sandbox,
  request: string,
  body?: unknown,
  headers: Record<string, string> = { "x-api-key": SANDBOX_API_KEY },
): Promise<Asked> {
  const [method = "", path = ""] = request.split(" ");
  const response = await sandbox.fetch(
    new Request(`http://sandbox.test/v1${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

export const WEBHOOK = {
  name: "ops-webhook",
  type: "webhook",
  metadata: { url: "https://hooks.acme.example/amp" },
};

/** A destination, a topic and both routes between them, in the main project. */
export async function setUpRouting(sandbox: Sandbox) {
  const destination = await ask(sandbox, "POST /projects/acme/destinations", WEBHOOK);
  const topic = await ask(sandbox, "POST /projects/acme/topics", { name: "lifecycle" });
  const eventRoute = await ask(sandbox, "POST /projects/acme/notification-event-topic-routes", {
    topicId: topic.body.id,
    eventType: "installation.created",
  });
  const destinationRoute = await ask(sandbox, "POST /projects/acme/topic-destination-routes", {
    topicId: topic.body.id,
    destinationId: destination.body.id,
  });
  return { destination, topic, eventRoute, destinationRoute };
}
