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

/** The condition of a put: there is no object yet, or its tag is still this one. */
type WriteCondition = { readonly "if-none-match": "*" } | { readonly "if-match": string };

/** The operations of S3 that a state needs, as signed requests. */
export function objectStore(at: S3StateLocation, options: StateServerOptions) {
  async function request(key: string, rest: Omit<StateRequest, "url">): Promise<StateResponse> {
    const url = new URL(at.base.href + key.split("/").map(encodeURIComponent).join("/"));
    const headers = await signedHeaders(at, { ...rest, url });
    return sendStateRequest({ ...rest, url, headers }, options);
  }

  return {
    /** @param interruptible whether the signal ends it at once: no change depends on the answer */
    get: async (key: string, interruptible = false) => {
      const action = `read ${at.location}`;
      const answer = await request(key, { method: "GET", action, interruptible });
      if (answer.status === 404 && xmlElement(answer, "Code") !== "NoSuchBucket") return undefined;
      if (answer.status !== 200) throw s3Error(answer, action);
      return { text: answer.text, etag: answer.headers.get("etag") ?? "" };
    },
    /** Returns an answer of any status: its meaning depends on the condition. */
    put: (
      key: string,
      text: string,
      condition: WriteCondition,
      interruptible = false,
    ): Promise<StateResponse> =>
      request(key, {
        method: "PUT",
        interruptible,
        action: `save ${at.location}`,
        body: text,
        headers: { "content-type": "application/json", ...condition },
      }),
    remove: async (key: string): Promise<void> => {
      const action = `release the lock of ${at.location}`;
      const answer = await request(key, { method: "DELETE", action });
      if (![200, 204, 404].includes(answer.status)) throw s3Error(answer, action);
    },
  };
}

async function signedHeaders(
  { region, credential }: S3StateLocation,
  { method, url, body = "", headers = {} }: StateRequest,
): Promise<Record<string, string>> {
  // Imported with the first request: no other backend needs it.
  const { AwsV4Signer } = await import("aws4fetch");
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    // The library signs the body of an S3 request only if its hash is given.
    headers: {
      ...headers,
      "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
    },
    service: "s3",
    region,
    ...credential,
  });
  return Object.fromEntries((await signer.sign()).headers);
}

/** The error for an unexpected answer, with the code and message of its XML. */
export function s3Error(answer: StateResponse, action: string): AmpError {
  const detail = ["Code", "Message"].flatMap((name) => xmlElement(answer, name) || []).join(": ");
  const error = refusedError(answer, action, detail || undefined);
  if (!(error instanceof AuthError)) return error;
  return error.setFacts({
    remedy: [
      "The key in AWS_ACCESS_KEY_ID needs s3:GetObject, s3:PutObject, s3:DeleteObject and",
      "s3:ListBucket: without the last one, S3 answers 403 for a missing object.",
    ].join(" "),
  });
}

function xmlElement({ text }: StateResponse, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(text.slice(0, 20_000))?.[1];
}
