/** What a client gets to see. */
export type Reply =
  | { readonly kind: "whole"; readonly response: Response }
  /** The head, half of the body, and then the end of the connection. */
  | { readonly kind: "cut"; readonly response: Response }
  /** The connection is reset. */
  | { readonly kind: "reset" };

/** The reply as `fetch` would tell it, for a client in the same process. */
export async function asFetched(reply: Reply): Promise<Response> {
  if (reply.kind === "whole") return reply.response;
  if (reply.kind === "reset") {
    throw failure("fetch failed", { code: "ECONNRESET", syscall: "read" });
  }
  const { status, headers } = reply.response;
  const [half] = await halved(reply.response);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(half);
    },
    pull: (controller) => {
      controller.error(failure("terminated", { code: "UND_ERR_SOCKET" }));
    },
  });
  return new Response(body, { status, headers });
}

/** The first half of a response's body, and the number of its bytes. */
export async function halved(response: Response): Promise<[half: Uint8Array, length: number]> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [bytes.subarray(0, bytes.length >> 1), bytes.length];
}

function failure(message: string, cause: { readonly code: string; readonly syscall?: string }) {
  return new TypeError(message, { cause: Object.assign(new Error(cause.code), cause) });
}
