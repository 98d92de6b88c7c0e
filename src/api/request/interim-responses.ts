import { channel } from "node:diagnostics_channel";

/** The part of a socket that is changed. */
interface Connection {
  read(size?: number): Buffer | null;
}

/** The channel on which undici, in Node or as a package, publishes each new connection. */
const CONNECTED = channel("undici:client:connected");
/** The maximum length of an interim response: undici's own limit of headers is lower. */
const MAX_INTERIM = 64 * 1024;
/** The beginning of an interim response; 101 is final. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d\D/u;
const INTERIM_LENGTH = "HTTP/1.1 100 ".length;

/**
 * Lets Node's fetch ignore interim responses, as HTTP requires: undici closes the connection at a
 * `100 Continue` that it has not asked for, and some proxies send one with every answer. A
 * connection carries one response, because amp lets none be kept.
 */
export function ignoreInterimResponses(): void {
  CONNECTED.subscribe((message) => {
    dropInterimResponses((message as { readonly socket: Connection }).socket);
  });
}

function dropInterimResponses(socket: Connection): void {
  const read = socket.read.bind(socket);
  let held: Uint8Array = Buffer.alloc(0);
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size);
      if (chunk === null) return null;
      const { rest, isFinal } = withoutInterim(Buffer.concat([held, chunk]));
      held = rest;
      if (!isFinal) continue;
      socket.read = read;
      return rest;
    }
  };
}

/** The bytes behind the interim responses, and whether the final response has begun. */
function withoutInterim(bytes: Buffer): { readonly rest: Buffer; readonly isFinal: boolean } {
  let rest = bytes;
  for (;;) {
    const begin = rest.toString("latin1", 0, INTERIM_LENGTH);
    if (!INTERIM.test(begin)) {
      return { rest, isFinal: begin.length === INTERIM_LENGTH || !isBeginning(begin) };
    }
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return { rest, isFinal: rest.length > MAX_INTERIM };
    rest = rest.subarray(end + "\r\n\r\n".length);
  }
}

/** Whether an interim response may begin like this. */
function isBeginning(begin: string): boolean {
  return INTERIM.test(begin + "HTTP/1.1 100 ".slice(begin.length));
}
