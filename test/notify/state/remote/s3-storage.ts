import { createHash } from "node:crypto";
import { isSigned, type Signing } from "./s3-signature.ts";
import {
  type ReceivedRequest,
  type ServerReply,
  startServer,
  type TestServer,
} from "./test-server.ts";

/** How a storage differs from S3. */
export interface StorageBehavior {
  /** Passes over the conditions. */
  readonly unconditional?: boolean;
  /**
   * Compares If-Match with the tag without its quotes, and answers 412 for a missing object, as Ceph's
   * radosgw 16.2.15 does.
   */
  readonly ceph?: boolean;
  /** Answers 200 to the put of a state, and keeps what it had. */
  readonly forgetful?: boolean;
  /** Does not name the tag of what was put. */
  readonly untagged?: boolean;
}

/** A storage with one bucket, `states`, reached by its path. */
export interface TestStorage extends TestServer {
  readonly objects: Map<string, string>;
}

/** What the storage lets in. */
export const S3_CREDENTIAL = {
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  AWS_REGION: "eu-central-1",
} as const;

const SIGNING: Signing = {
  accessKeyId: S3_CREDENTIAL.AWS_ACCESS_KEY_ID,
  secretAccessKey: S3_CREDENTIAL.AWS_SECRET_ACCESS_KEY,
  region: S3_CREDENTIAL.AWS_REGION,
};

/** A storage that checks signatures, If-Match and If-None-Match as S3 documents them. */
export async function startStorage(manners: StorageBehavior = {}): Promise<TestStorage> {
  const objects = new Map<string, string>();

  const handlers: Readonly<Record<string, (key: string, asked: ReceivedRequest) => ServerReply>> = {
    GET: (key) => {
      const text = objects.get(key);
      if (text === undefined) return failure(404, "NoSuchKey");
      return { status: 200, body: text, headers: { etag: etagOf(text) } };
    },
    PUT: (key, { headers, body }) => {
      const before = objects.get(key);
      if (!manners.unconditional) {
        if (headers["if-none-match"] === "*" && before !== undefined) {
          return failure(412, "PreconditionFailed");
        }
        const match = headers["if-match"];
        if (match !== undefined && before === undefined) {
          return manners.ceph ? failure(412, "PreconditionFailed") : failure(404, "NoSuchKey");
        }
        const tag = etagOf(before ?? "");
        if (match !== undefined && match !== (manners.ceph ? tag.replaceAll('"', "") : tag)) {
          return failure(412, "PreconditionFailed");
        }
      }
      if (!manners.forgetful || key.endsWith(".lock")) objects.set(key, body);
      return { status: 200, headers: manners.untagged ? {} : { etag: etagOf(body) } };
    },
    DELETE: (key) => {
      objects.delete(key);
      return { status: 204 };
    },
  };

  const listening = await startServer((asked) => {
    if (!isSigned(asked, SIGNING)) return failure(403, "SignatureDoesNotMatch");
    const [, bucket, ...rest] = asked.url.pathname.split("/").map(decodeURIComponent);
    if (bucket !== "states") return failure(404, "NoSuchBucket");
    return handlers[asked.method]?.(rest.join("/"), asked) ?? { status: 405 };
  });
  return Object.assign(listening, { objects });
}

function failure(status: number, code: string): ServerReply {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>As ${code} says.</Message></Error>`;
  return { status, body, headers: { "content-type": "application/xml" } };
}

function etagOf(text: string): string {
  return `"${createHash("md5").update(text).digest("hex")}"`;
}
