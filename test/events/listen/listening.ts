import { request as sendRequest } from "node:http";
import { signatureHeaders } from "../../../src/events/message/signature.ts";
import { NOW, type Outcome, type RunInput, run } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const BODY = '{"notificationType":"connection.error","data":{"projectId":"p1"}}';

/** A body of an event type. */
export const bodyOf = (notificationType: string, data: object = { projectId: "p1" }) =>
  JSON.stringify({ notificationType, data });

/** The headers of a message that is signed at a time. */
export function signed(body: string, { id = "msg_1", time = NOW, secret = SECRET } = {}) {
  return { "content-type": "application/json", ...signatureHeaders({ id, time, body }, [secret]) };
}

/** What a sender got. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Posts bytes with any headers, Host included. */
export function post(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  method = "POST",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      url,
      { method, headers: headers as Record<string, string> },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    sent.on("error", reject).end(body);
  });
}

/** A document of stdout: that it is ready, or a message. */
type ListenedLine = Readonly<Record<string, unknown>> & {
  readonly attempts: readonly { readonly status?: number }[];
};

/** What listening came to. */
export interface Listening extends Outcome {
  /** The documents of stdout, one for each line. */
  readonly lines: readonly ListenedLine[];
}

/** Listens in this process; `use` may send to the URL, and ends it unless it ends by itself. */
export async function listen(
  args: readonly string[],
  use: (url: string, ready: Readonly<Record<string, unknown>>) => Promise<void> = async () => {},
  { keepsOn = false, ...world }: RunInput & { readonly keepsOn?: boolean } = {},
): Promise<Listening> {
  const controller = new AbortController();
  let failure: unknown;
  let isReady = false;
  const cwd = world.cwd ?? temporaryFolder();
  const format = args.includes("-o") ? [] : ["-o", "ndjson"];
  const outcome = await run(["listen", "--port", "0", ...format, ...args], {
    ...world,
    cwd,
    env: { SIGNING: SECRET, AMP_BASE_URL: undefined, ...world.env },
    signal: controller.signal,
    onOutput: (text) => {
      if (isReady || !text.includes('"ready"')) return;
      isReady = true;
      const ready = JSON.parse(text.split("\n")[0] ?? "") as Record<string, unknown>;
      use(String(ready.url), ready)
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => {
          if (!keepsOn || failure !== undefined) controller.abort("SIGINT");
        });
    },
  });
  if (failure !== undefined) throw failure;
  const lines = outcome.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ListenedLine);
  return { ...outcome, lines };
}

/** The options of a listener without a service. */
export const LOCAL = ["--local", "--secret", "env:SIGNING"];
