import { createHash } from "node:crypto";
import type { RunEnvironment } from "../../../context/command-context.ts";
import { durableErrors } from "../../../durable/errors.ts";
import { type AmpError, AuthError } from "../../../errors.ts";
import { registerSecret } from "../../../secrets/secret.ts";
import { tried } from "../../../values/basics.ts";
import { routingErrors } from "../../errors.ts";
import { describedHolder, type LockedState, type StateBackend } from "../backend.ts";
import {
  isSuccess,
  type LockAttempt,
  type LockInfo,
  parseLockHolder,
  parseServerUrl,
  refusedError,
  retryUntilKnown,
  type StateRequest,
  type StateResponse,
  type StateServerOptions,
  sendStateRequest,
  textDigest,
  withServerLock,
} from "./server.ts";

/** An object of an S3-compatible storage, and the credential for it. */
interface S3StateLocation {
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
  const key = tried(() => decodeURIComponent(url?.pathname.slice(1) ?? ""));
  const parameters = new Map(url?.searchParams ?? []);
  const problem = s3Problem(bucket, key, url);
  if (problem !== undefined || key === undefined) {
    throw routingErrors.state_s3_url_invalid(address, S3_URL_FORM, problem);
  }
  const endpoint = parameters.get("endpoint");
  const region = parameters.get("region") ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  if (!region && endpoint === undefined) {
    throw routingErrors.state_s3_region_missing(bucket, S3_URL_FORM);
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
  if (!accessKeyId || !secretAccessKey) throw routingErrors.state_s3_credential_missing();
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

/** The condition of a put: there is no object yet, or its tag is still this one. */
type WriteCondition = { readonly "if-none-match": "*" } | { readonly "if-match": string };

/** The operations of S3 that a state needs, as signed requests. */
function objectStore(at: S3StateLocation, options: StateServerOptions) {
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
function s3Error(answer: StateResponse, action: string): AmpError {
  const detail = ["Code", "Message"].flatMap((name) => xmlElement(answer, name) || []).join(": ");
  const error = refusedError(answer, action, detail || undefined);
  // Another request to the same object was in progress.
  if (answer.status === 409) error.setFacts({ retryable: true });
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

/** A state in a storage with S3's conditional writes; the lock is an object beside the state. */
export function s3Backend(at: S3StateLocation, options: StateServerOptions = {}): StateBackend {
  const store = objectStore(at, options);
  const lock = new ObjectLock(at, store, options);
  return {
    location: at.location,
    local: false,
    read: async () => (await store.get(at.key, true))?.text,
    withLock: (request, work) =>
      withServerLock(lock, request, options, async (info) => {
        await lock.assertConditionalWrites(info);
        return work(new LockedObject(at, store, options, () => lock.check(info)));
      }),
    unlock: (id) => lock.unlock(id),
  };
}

type ObjectStore = ReturnType<typeof objectStore>;

class ObjectLock {
  readonly location: string;
  readonly #key: string;
  readonly #store: ObjectStore;
  readonly #options: StateServerOptions;

  constructor({ location, key }: S3StateLocation, store: ObjectStore, options: StateServerOptions) {
    this.location = location;
    this.#key = `${key}.lock`;
    this.#store = store;
    this.#options = options;
  }

  acquire(info: LockInfo): Promise<LockAttempt> {
    return this.#put<LockAttempt>(info, async (answer) => {
      if (isSuccess(answer)) return "taken";
      if (answer.status !== 412) throw this.#refused(answer);
      const found = await this.#store.get(this.#key, true);
      // The lock was released between the two requests.
      if (found === undefined) throw this.#refused(answer).setFacts({ retryable: true });
      return { by: parseLockHolder(found.text, info) };
    });
  }

  /**
   * Puts the lock a second time, which must be refused: a storage that ignores the condition gives
   * the lock to every run.
   * @throws {UsageError} for such a storage
   */
  assertConditionalWrites(info: LockInfo): Promise<void> {
    return this.#put(info, async (answer) => {
      if (isSuccess(answer)) throw routingErrors.writes_not_conditional(this.location);
      if (![409, 412].includes(answer.status)) throw this.#refused(answer);
    });
  }

  /** @throws {ConflictError} if the lock is not this run's any more */
  async check(info: LockInfo): Promise<void> {
    if (!(await this.#isHeldBy(info, true))) throw durableErrors.lock_lost(this.location);
  }

  async release(info: LockInfo): Promise<void> {
    if (await this.#isHeldBy(info, false)) await this.#store.remove(this.#key);
  }

  withdraw(info: LockInfo): Promise<void> {
    return this.release(info);
  }

  async unlock(id: string): Promise<void> {
    const found = await this.#store.get(this.#key, true);
    if (found === undefined) throw routingErrors.state_not_locked(this.location);
    const holder = parseLockHolder(found.text);
    if (holder.id !== id) {
      throw routingErrors.state_lock_different(this.location, id, describedHolder(holder));
    }
    await this.#store.remove(this.#key);
  }

  /** Puts the lock if there is none; the meaning of an answer depends on the caller. */
  #put<Result>(info: LockInfo, judge: (answer: StateResponse) => Promise<Result>): Promise<Result> {
    const once = { "if-none-match": "*" } as const;
    return retryUntilKnown(this.#options, {
      send: () => this.#store.put(this.#key, JSON.stringify(info), once, true),
      judge,
    });
  }

  async #isHeldBy({ ID }: LockInfo, interruptible: boolean): Promise<boolean> {
    const found = await this.#store.get(this.#key, interruptible);
    return found !== undefined && parseLockHolder(found.text).id === ID;
  }

  #refused(answer: StateResponse): AmpError {
    return s3Error(answer, `lock ${this.location}`);
  }
}

/** Reads and saves a state whose lock is held. */
class LockedObject implements LockedState {
  readonly check: () => Promise<void>;
  readonly #at: S3StateLocation;
  readonly #store: ObjectStore;
  readonly #options: StateServerOptions;
  /** The tag of the object as it was read or saved last; empty if there is no object. */
  #etag: string | undefined;
  /** Whether a condition has the tag as the storage wrote it, in quotes. */
  #isQuoted = true;
  #isKept = false;
  /**
   * The digests of all texts that this run has sent: a save may arrive though its answer is lost.
   */
  readonly #sentTexts = new Set<string>();

  constructor(
    at: S3StateLocation,
    store: ObjectStore,
    options: StateServerOptions,
    check: () => Promise<void>,
  ) {
    this.check = check;
    this.#at = at;
    this.#store = store;
    this.#options = options;
  }

  async read(): Promise<string | undefined> {
    const stored = await this.#store.get(this.#at.key, true);
    this.#etag = stored?.etag ?? "";
    return stored?.text;
  }

  async write(text: string): Promise<void> {
    const tag = this.#etag ?? (await this.#store.get(this.#at.key))?.etag ?? "";
    const savedTag = async () => {
      const now = await this.#store.get(this.#at.key);
      return now?.text === text ? now.etag : undefined;
    };
    this.#etag = await retryUntilKnown<string>(this.#options, {
      send: () => this.#putOver(tag, text),
      judge: async (answer) => {
        const isChanged = [404, 412].includes(answer.status);
        if (!isSuccess(answer) && !isChanged) throw s3Error(answer, `save ${this.#at.location}`);
        const now = isChanged ? undefined : (answer.headers.get("etag") ?? (await savedTag()));
        if (now === undefined) throw routingErrors.state_changed(this.#at.location);
        return now;
      },
      findResult: savedTag,
    });
    if (this.#isKept) return;
    // A storage may report a save that it drops: the first one is read back.
    if ((await savedTag()) === undefined) throw routingErrors.state_save_lost(this.#at.location);
    this.#isKept = true;
  }

  /** Puts a text in the place of the one that has a tag; an empty tag: there is no object yet. */
  async #putOver(tag: string, text: string): Promise<StateResponse> {
    const quoted = this.#isQuoted ? tag : tag.replaceAll('"', "");
    const condition = tag === "" ? { "if-none-match": "*" as const } : { "if-match": quoted };
    this.#sentTexts.add(textDigest(text));
    const answer = await this.#store.put(this.#at.key, text, condition);
    const now = answer.status === 412 ? await this.#store.get(this.#at.key) : undefined;
    if (now === undefined || now.text === text) return answer;
    if (now.etag !== tag) {
      return this.#sentTexts.has(textDigest(now.text)) ? this.#putOver(now.etag, text) : answer;
    }
    if (!this.#isQuoted) return answer;
    // Ceph compares the tag without its quotes, and so refuses its own one.
    this.#isQuoted = false;
    return this.#putOver(tag, text);
  }
}
