import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { type Capture, jsonBody, messageType, parseCaptures } from "../events/capture.ts";
import { isAccepted } from "../events/message.ts";
import { signatureHeaders } from "../events/signature.ts";
import { utf8Text } from "../values/bytes.ts";
import type { Filter } from "../values/filter.ts";
import { defined } from "../values/json.ts";
import { forward } from "./forward.ts";
import { type ArrivedMessage, type Counts, isWanted, newCounts } from "./session.ts";

/** The messages to send again, and their target. */
export interface ResendOptions {
  readonly file: string;
  readonly to: URL;
  readonly secrets: readonly string[];
  readonly events: readonly string[];
  readonly filters: readonly Filter[];
  readonly verbose: boolean;
}

/** Headers that a fresh signature replaces. */
const SIGNATURE = /^(?:svix|webhook)-(?:id|timestamp|signature)$/iu;

/**
 * Sends saved messages again, one after the other, each with its own ID and a signature of now: the
 * old one would be refused as stale.
 * @throws {UsageError} where the file cannot be read, or a body cannot be signed
 */
export async function resend(
  { files, now, signal }: Pick<CommandContext, "files" | "now" | "signal">,
  { file, to, secrets, events, filters, verbose }: ResendOptions,
  onMessage: (message: ArrivedMessage) => Promise<void>,
): Promise<Readonly<Counts>> {
  const source = file === "-" ? "standard input" : file;
  const captures = parseCaptures(await files.readBytes(file), source);
  const counts = newCounts();
  for (const capture of captures) {
    if (signal.aborted) break;
    const json = jsonBody(capture.body);
    const event = messageType(json);
    if (!isWanted({ events, filters }, event, json)) {
      counts.others += 1;
      continue;
    }
    counts.messages += 1;
    const time = now();
    const { id, headers } = signedAgain(capture, time, secrets, source);
    const { forwarded } = await forward({ headers, body: capture.body }, to, { signal });
    if (!isAccepted(forwarded)) counts.notAccepted += 1;
    await onMessage(
      defined({
        time: time.toISOString(),
        id,
        event,
        bytes: capture.body.byteLength,
        signature: { valid: true },
        status: forwarded.status,
        ms: forwarded.ms,
        forward: forwarded,
        body: verbose ? (json ?? Buffer.from(capture.body).toString("utf8")) : undefined,
      }),
    );
  }
  return counts;
}

function signedAgain(
  { headers, body }: Capture,
  time: Date,
  secrets: readonly string[],
  source: string,
): { id: string; headers: [string, string][] } {
  const idOf = (pattern: RegExp) => headers.find(([name]) => pattern.test(name))?.[1];
  // Receivers know a message that comes twice by its ID, so it keeps it.
  const id = idOf(/^svix-id$/iu) ?? idOf(/^webhook-id$/iu) ?? `msg_resent_${time.getTime()}`;
  const text = utf8Text(body);
  if (text === undefined) {
    throw new UsageError(`${source}: the body of ${id} is not valid UTF-8, and cannot be signed`);
  }
  const others = headers.filter(([name]) => !SIGNATURE.test(name));
  const signed = Object.entries(signatureHeaders({ id, time, body: text }, secrets));
  return { id, headers: [...others, ...signed].map(([name, value]) => [name, value]) };
}
