import { createHash } from "node:crypto";
import { type AmpError, AuthError } from "../../errors.ts";
import type { S3Place } from "./s3-place.ts";
import { type Message, refusal, type SendOptions, type Sent, send } from "./send.ts";

/** An object as it was read. */
export interface StoredObject {
  readonly text: string;
  readonly etag: string;
}

/** Under which condition an object is put: it is not there yet, or it is still the one of the tag. */
export type Condition = { readonly "if-none-match": "*" } | { readonly "if-match": string };

/** The operations of S3 that a state takes. */
export interface ObjectStore {
  /** @param idle nothing hangs on it: the signal ends it */
  get(key: string, idle?: boolean): Promise<StoredObject | undefined>;
  /** The answer of any status is returned: what it means follows from the condition. */
  put(key: string, text: string, condition: Condition): Promise<Sent>;
  remove(key: string): Promise<void>;
  /** The error for an answer that is not as it should be. */
  refused(answer: Sent, does: string): AmpError;
}

/** Speaks to the storage with signed requests. */
export function objectStore(at: S3Place, options: SendOptions): ObjectStore {
  const refused = (answer: Sent, does: string) => refusalOf(answer, does);

  async function request({ key, ...rest }: Omit<Message, "url"> & { key: string }): Promise<Sent> {
    const url = new URL(at.base.href + key.split("/").map(encodeURIComponent).join("/"));
    const message = { ...rest, url };
    return send({ ...message, headers: await signedHeaders(at, message) }, options);
  }

  return {
    refused,
    get: async (key, idle = false) => {
      const does = `read ${at.place}`;
      const answer = await request({ method: "GET", key, does, idle });
      if (answer.status === 404 && codeOf(answer) !== "NoSuchBucket") return undefined;
      if (answer.status !== 200) throw refused(answer, does);
      return { text: answer.text, etag: answer.headers.get("etag") ?? "" };
    },
    put: (key, text, condition) =>
      request({
        method: "PUT",
        key,
        does: `save ${at.place}`,
        body: text,
        headers: { "content-type": "application/json", ...condition },
      }),
    remove: async (key) => {
      const does = `give back the lock of ${at.place}`;
      const answer = await request({ method: "DELETE", key, does });
      if (![200, 204, 404].includes(answer.status)) throw refused(answer, does);
    },
  };
}

async function signedHeaders(
  { region, credential }: S3Place,
  { method, url, body = "", headers = {} }: Message,
): Promise<Record<string, string>> {
  // With the first request: no other place needs it.
  const { AwsV4Signer } = await import("aws4fetch");
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    // The body is signed too: the library leaves it out for S3 unless its hash is given.
    headers: {
      ...headers,
      "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
    },
    service: "s3",
    region,
    ...credential,
  });
  const signed = await signer.sign();
  return Object.fromEntries(signed.headers);
}

function refusalOf(answer: Sent, does: string): AmpError {
  const told = [codeOf(answer), element(answer, "Message")].filter(Boolean).join(": ");
  const error = refusal(answer, does, told || undefined);
  if (!(error instanceof AuthError)) return error;
  return error.with({
    remedy: [
      "The credential of AWS_ACCESS_KEY_ID needs s3:GetObject, s3:PutObject, s3:DeleteObject and",
      "s3:ListBucket: without the last one, S3 does not tell what is missing from what is forbidden.",
    ].join(" "),
  });
}

/** Of the XML that S3 answers with. */
function codeOf(answer: Sent): string | undefined {
  return element(answer, "Code");
}

function element({ text }: Sent, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(text.slice(0, 20_000))?.[1];
}
