import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import {
  type Capture,
  jsonBody,
  messageType,
  parseCaptures,
  parseHeaders,
} from "../events/capture.ts";
import { type Examination, examineSignature } from "../events/diagnosis.ts";
import { readSigningSecrets, type SecretFrom } from "../events/receiver-options.ts";
import { defined } from "../values/json.ts";
import { type Block, type Page, row, rows, time, toned } from "../view/view.ts";

/** The input of `amp webhooks verify`. */
export interface VerifyInput {
  /** The file of the request; absent: standard input, or the two files. */
  readonly request?: string | undefined;
  readonly headers?: string | undefined;
  readonly body?: string | undefined;
  readonly secrets: readonly SecretFrom[];
}

/** One request with what its signature is worth. */
export interface VerifiedRequest extends Examination {
  readonly event?: string;
  /** When it arrived, where the capture says so: RFC 3339. */
  readonly receivedAt?: string;
  readonly bytes: number;
}

/** The requests of a capture; it holds if all do. */
export interface VerifiedCapture {
  readonly source: string;
  readonly valid: boolean;
  readonly requests: readonly VerifiedRequest[];
}

const STANDARD_INPUT = "standard input";

/**
 * Examines the signatures of captured requests.
 * @throws {UsageError} where the request or the secret cannot be read
 */
export async function verifyCapture(
  context: Pick<CommandContext, "files" | "now" | "report">,
  input: VerifyInput,
): Promise<VerifiedCapture> {
  const { files, now } = context;
  assertOneInput(input);
  const secrets = await readSigningSecrets(input.secrets, context);
  const { source, captures } = await readCaptures(files, input);
  const requests = captures.map((capture): VerifiedRequest => {
    const { receivedAt, body } = capture;
    const signature = examineSignature(capture, { secrets, now: now(), receivedAt });
    const event = messageType(jsonBody(body));
    const { byteLength: bytes } = body;
    return { ...signature, ...defined({ event, receivedAt: receivedAt?.toISOString(), bytes }) };
  });
  return { source, valid: requests.every(({ valid }) => valid), requests };
}

async function readCaptures(
  files: CommandContext["files"],
  { request = "-", headers, body }: VerifyInput,
): Promise<{ source: string; captures: readonly Capture[] }> {
  if (headers !== undefined && body !== undefined) {
    const name = (path: string) => (path === "-" ? STANDARD_INPUT : path);
    const one: Capture = {
      headers: parseHeaders(await files.read(headers), name(headers)),
      body: await files.readBytes(body),
    };
    return { source: name(body), captures: [one] };
  }
  const source = request === "-" ? STANDARD_INPUT : request;
  return { source, captures: parseCaptures(await files.readBytes(request), source) };
}

function assertOneInput({ request, headers, body, secrets }: VerifyInput): void {
  const remedy = "Pass one file with the whole request, or --headers FILE and --body FILE.";
  if (request !== undefined && headers !== undefined) {
    throw new UsageError("A request file and --headers conflict", { remedy });
  }
  if ((headers === undefined) !== (body === undefined)) {
    throw new UsageError("--headers and --body are used together", { remedy });
  }
  const whole = headers === undefined ? [request ?? "-"] : [headers, body];
  const readers = [...whole, ...secrets.map(({ from }) => (from === "stdin" ? "-" : ""))];
  if (readers.filter((one) => one === "-").length > 1) {
    throw new UsageError("Standard input can be read only once", {
      remedy: "Put the request or the secret in a file, or the secret in a variable.",
    });
  }
}

/** The page of a capture: each request in full where there is one, else a line each. */
export function verifiedPage({ source, valid, requests }: VerifiedCapture): Page {
  const [only] = requests;
  const failed = requests.filter((one) => !one.valid).length;
  const aside = valid ? "the signature is valid" : "the signature is not valid";
  if (only !== undefined && requests.length === 1) {
    return { title: source, aside, blocks: blocksOf(only) };
  }
  return {
    title: source,
    aside:
      failed === 0
        ? `all ${requests.length} signatures are valid`
        : `${failed} of ${requests.length} are not valid`,
    blocks: [
      {
        kind: "grid",
        columns: ["Received", "Event", "ID", "Signature"],
        rows: requests.map((one) => [
          time(one.receivedAt ?? one.signedAt),
          one.event,
          one.id,
          one.valid ? toned("good", "valid") : toned("bad", one.reason ?? ""),
        ]),
        cards: true,
      },
      // The advice, once for all the requests that need it.
      ...adviceBlocks(requests.flatMap(({ advice = [] }) => advice)),
    ],
  };
}

function blocksOf(one: VerifiedRequest): Block[] {
  const { valid, reason, advice = [] } = one;
  return [
    rows([
      ...row("Event", one.event),
      ...row("ID", one.id),
      ...row("Signed", time(one.signedAt)),
      ...row("Received", time(one.receivedAt)),
      ...row("Body", `${one.bytes} bytes`),
      ...row("Signature", valid ? toned("good", "valid") : toned("bad", `not valid: ${reason}`)),
    ]),
    ...adviceBlocks(advice),
  ];
}

function adviceBlocks(advice: readonly string[]): Block[] {
  return [...new Set(advice)].map((text) => ({ kind: "text", text, tone: "attention" }));
}
