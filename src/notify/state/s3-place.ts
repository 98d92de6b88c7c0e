import { UsageError } from "../../errors.ts";
import { learnSecret } from "../../secret.ts";
import type { Environment } from "./http-options.ts";
import { serverUrl } from "./server-url.ts";

/** An object of an S3-compatible storage, and who may change it. */
export interface S3Place {
  /** For messages. */
  readonly place: string;
  /** Of the bucket's objects, with a slash at the end. */
  readonly base: URL;
  readonly key: string;
  readonly region: string;
  readonly credential: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

const FORM = "s3://BUCKET/KEY?region=REGION&endpoint=https://…";

/**
 * The object that an address and the environment name.
 * @throws {UsageError} naming what is wrong or missing
 */
export function s3Place(address: string, env: Environment): S3Place {
  const url = URL.parse(address);
  const bucket = url?.host ?? "";
  const key = decoded(url?.pathname.slice(1) ?? "");
  const parameters = new Map(url?.searchParams ?? []);
  const unknown = [...parameters.keys()].some((name) => !["region", "endpoint"].includes(name));
  if (!/^[a-z\d][a-z\d.-]+[a-z\d]$/u.test(bucket) || !key || unknown || url?.hash) {
    throw new UsageError(`${JSON.stringify(address)} is no address of an S3 object`, {
      remedy: `Write it as ${FORM}, the last two where they are needed.`,
    });
  }
  const endpoint = parameters.get("endpoint");
  const region = parameters.get("region") ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  if (!region && endpoint === undefined) {
    throw new UsageError(`The region of the bucket ${bucket} is not known`, {
      remedy: `Set AWS_REGION, or write it as ${FORM}.`,
    });
  }
  const usual = region || "us-east-1";
  return {
    place: `s3://${bucket}/${key}`,
    base: endpoint === undefined ? awsBase(bucket, usual) : customBase(bucket, endpoint),
    key,
    region: usual,
    credential: credentialOf(env),
  };
}

function credentialOf(env: Environment): S3Place["credential"] {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new UsageError("--state s3://… needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", {
      remedy: "Where the AWS CLI is logged in: aws configure export-credentials --format env",
      done: "Nothing was sent.",
    });
  }
  for (const secret of [secretAccessKey, sessionToken ?? ""]) learnSecret(secret);
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** The bucket stands in the host name, but for one with dots, which no certificate covers. */
function awsBase(bucket: string, region: string): URL {
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const text = bucket.includes(".") ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
  return serverUrl(text, "The region");
}

/** Other storages have no name for each bucket. */
function customBase(bucket: string, endpoint: string): URL {
  return serverUrl(`${endpoint.replace(/\/+$/u, "")}/${bucket}/`, "The endpoint");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
