import { createHash } from "node:crypto";
import { type AmpError, AuthError } from "../../../errors.ts";
import type { S3StateLocation } from "./s3-location.ts";
import {
  refusedError,
  type StateRequest,
  type StateResponse,
  type StateServerOptions,
  sendStateRequest,
} from "./send.ts";

/** An object as it was read. */
export interface StoredObject {
  readonly text: string;
  readonly etag: string;
}

/** Under which condition an object is put: it is not there yet, or it is still the one of the tag. */
export type WriteCondition = { readonly "if-none-match": "*" } | { readonly "if-match": string };

/** The operations of S3 that a state takes. */
export interface ObjectStore {
  /** @param idle nothing hangs on it: the signal ends it */
  get(key: string, idle?: boolean): Promise<StoredObject | undefined>;
  /** The answer of any status is returned: what it means follows from the condition. */
  put(key: string, text: string, condition: WriteCondition): Promise<StateResponse>;
  remove(key: string): Promise<void>;
  /** The error for an answer that is not as it should be. */
  refused(answer: StateResponse, does: string): AmpError;
}

/** Speaks to the storage with signed requests. */
export function objectStore(at: S3StateLocation, options: StateServerOptions): ObjectStore {
  const refused = (answer: StateResponse, does: string) => s3Refusal(answer, does);

  async function request({
    key,
    ...rest
  }: Omit<StateRequest, "url"> & { key: string }): Promise<StateResponse> {
    const url = new URL(at.base.href + key.split("/").map(encodeURIComponent).join("/"));
    const message = { ...rest, url };
    return sendStateRequest({ ...message, headers: await signedHeaders(at, message) }, options);
  }

  return {
    refused,
    get: async (key, idle = false) => {
      const does = `read ${at.place}`;
      const answer = await request({ method: "GET", key, does, idle });
      if (answer.status === 404 && s3ErrorCode(answer) !== "NoSuchBucket") return undefined;
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
  { region, credential }: S3StateLocation,
  { method, url, body = "", headers = {} }: StateRequest,
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

function s3Refusal(answer: StateResponse, does: string): AmpError {
  const told = [s3ErrorCode(answer), xmlElement(answer, "Message")].filter(Boolean).join(": ");
  const error = refusedError(answer, does, told || undefined);
  if (!(error instanceof AuthError)) return error;
  return error.with({
    remedy: [
      "The credential of AWS_ACCESS_KEY_ID needs s3:GetObject, s3:PutObject, s3:DeleteObject and",
      "s3:ListBucket: without the last one, S3 does not tell what is missing from what is forbidden.",
    ].join(" "),
  });
}

/** Of the XML that S3 answers with. */
function s3ErrorCode(answer: StateResponse): string | undefined {
  return xmlElement(answer, "Code");
}

function xmlElement({ text }: StateResponse, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(text.slice(0, 20_000))?.[1];
}
