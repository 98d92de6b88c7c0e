import { createHash } from "node:crypto";
import type { RunEnvironment } from "../../../context/command-context.ts";
import { type AmpError, AuthError, UsageError } from "../../../errors.ts";
import { registerSecret } from "../../../secrets/secret.ts";
import { defined } from "../../../values/json.ts";
import { parseServerUrl } from "./http-location.ts";
import {
  refusedError,
  type StateRequest,
  type StateResponse,
  type StateServerOptions,
  sendStateRequest,
} from "./send.ts";

/** An object of an S3-compatible storage, and the credential for it. */
export interface S3StateLocation {
  /** The location as shown in messages. */
  readonly location: string;
  /** The URL of the bucket's objects, with a slash at the end. */
  readonly base: URL;
  readonly key: string;
  readonly region: string;
  readonly credential: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

const S3_URL_FORM = "s3://BUCKET/KEY?region=REGION&endpoint=https://…";

/**
 * The object that an address and the environment name.
 * @throws {UsageError} that names the invalid or missing part
 */
export function s3Location(address: string, env: RunEnvironment["env"]): S3StateLocation {
  const url = URL.parse(address);
  const bucket = url?.host ?? "";
  const key = decodedPath(url?.pathname.slice(1) ?? "");
  const parameters = new Map(url?.searchParams ?? []);
  const problem = s3Problem(bucket, key, url);
  if (problem !== undefined || key === undefined) {
    throw new UsageError(`${JSON.stringify(address)} is not a valid S3 URL`, {
      ...defined({ detail: problem }),
      remedy: `Use ${S3_URL_FORM}; region and endpoint are optional.`,
    });
  }
  const endpoint = parameters.get("endpoint");
  const region = parameters.get("region") ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  if (!region && endpoint === undefined) {
    throw new UsageError(`The region of bucket ${bucket} is not set`, {
      remedy: `Set AWS_REGION, or use ${S3_URL_FORM}.`,
    });
  }
  const known = region || "us-east-1";
  return {
    location: `s3://${bucket}/${key}`,
    base: baseUrl(bucket, known, endpoint),
    key,
    region: known,
    credential: s3Credential(env),
  };
}

/** What is wrong with the parts of an address. */
function s3Problem(bucket: string, key: string | undefined, url: URL | null): string | undefined {
  if (bucket === "") return "The bucket is missing.";
  if (!/^[a-z\d][a-z\d.-]+[a-z\d]$/u.test(bucket)) {
    return `${JSON.stringify(bucket)} is not a valid bucket name: use at least 3 lower-case letters, digits, dots and hyphens.`;
  }
  if (key === undefined) return "The key has an invalid % escape.";
  if (key === "") return "The key is missing: a path after the bucket, such as /routing.json.";
  const known = ["region", "endpoint"];
  const unknown = [...(url?.searchParams.keys() ?? [])].filter((name) => !known.includes(name));
  if (unknown.length > 0) return `Unknown parameter: ${unknown.join(", ")}.`;
  return url?.hash ? "Write # as %23." : undefined;
}

function s3Credential(env: RunEnvironment["env"]): S3StateLocation["credential"] {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new UsageError("--state s3://… requires AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", {
      remedy: "If the AWS CLI is logged in, run: aws configure export-credentials --format env",
      done: "Nothing was sent.",
    });
  }
  for (const secret of [secretAccessKey, sessionToken ?? ""]) registerSecret(secret);
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

function baseUrl(bucket: string, region: string, endpoint: string | undefined): URL {
  if (endpoint !== undefined) {
    return parseServerUrl(`${endpoint.replace(/\/+$/u, "")}/${bucket}/`, "The S3 endpoint");
  }
  // A host name for each bucket; but no certificate covers one with dots.
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const text = bucket.includes(".") ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
  return parseServerUrl(text, "The S3 region");
}

function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

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
