import type { ServerResponse } from "node:http";
import type { Served } from "../serve.ts";
import type { FaultySandbox } from "./front.ts";
import { halved } from "./reply.ts";

/** The adapter keeps its hands off a response that was dealt with already. */
const SENT_ALREADY = { "x-hono-already-sent": "true" };

/** A sandbox with faults for {@link serveSandbox}: what goes wrong there goes wrong on the wire. */
export function onTheWire(sandbox: FaultySandbox): Served {
  return {
    fetch: async (request, outgoing) => {
      const { reply, answered } = await sandbox.handle(request);
      if (reply.kind === "whole") {
        outgoing.once("finish", () => void answered());
        return reply.response;
      }
      if (reply.kind === "reset") outgoing.socket?.resetAndDestroy();
      else await sendHalf(reply.response, outgoing);
      await answered();
      return new Response(null, { headers: SENT_ALREADY });
    },
  };
}

async function sendHalf(response: Response, outgoing: ServerResponse): Promise<void> {
  const [half, length] = await halved(response);
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    "content-length": length,
  });
  await new Promise<void>((resolve) => {
    outgoing.write(half, () => resolve());
  });
  outgoing.destroy();
}
