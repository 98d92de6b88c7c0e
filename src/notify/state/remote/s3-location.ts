import { UsageError } from "../../../errors.ts";
import { registerSecret } from "../../../secrets/secret.ts";
import { parseServerUrl, type StateEnvironment } from "./http-location.ts";

/** An object of an S3-compatible storage, and who may change it. */
export interface S3StateLocation {
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

const S3_URL_FORM = "s3://BUCKET/KEY?region=REGION&endpoint=https://…";

/**
 * The object that an address and the environment name.
 * @throws {UsageError} naming what is wrong or missing
 */
export function s3Location(address: string, env: StateEnvironment): S3StateLocation {
  const url = URL.parse(address);
  const bucket = url?.host ?? "";
  const key = decodedPath(url?.pathname.slice(1) ?? "");
  const parameters = new Map(url?.searchParams ?? []);
  const unknown = [...parameters.keys()].some((name) => !["region", "endpoint"].includes(name));
  if (!/^[a-z\d][a-z\d.-]+[a-z\d]$/u.test(bucket) || !key || unknown || url?.hash) {
    throw new UsageError(`${JSON.stringify(address)} is no address of an S3 object`, {
      remedy: `Write it as ${S3_URL_FORM}, the last two where they are needed.`,
    });
  }
  const endpoint = parameters.get("endpoint");
  const region = parameters.get("region") ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  if (!region && endpoint === undefined) {
    throw new UsageError(`The region of the bucket ${bucket} is not known`, {
      remedy: `Set AWS_REGION, or write it as ${S3_URL_FORM}.`,
    });
  }
  const usual = region || "us-east-1";
  return {
    place: `s3://${bucket}/${key}`,
    base: endpoint === undefined ? awsBaseUrl(bucket, usual) : customBaseUrl(bucket, endpoint),
    key,
    region: usual,
    credential: s3Credential(env),
  };
}

function s3Credential(env: StateEnvironment): S3StateLocation["credential"] {
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
  for (const secret of [secretAccessKey, sessionToken ?? ""]) registerSecret(secret);
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** The bucket stands in the host name, but for one with dots, which no certificate covers. */
function awsBaseUrl(bucket: string, region: string): URL {
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const text = bucket.includes(".") ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
  return parseServerUrl(text, "The region");
}

/** Other storages have no name for each bucket. */
function customBaseUrl(bucket: string, endpoint: string): URL {
  return parseServerUrl(`${endpoint.replace(/\/+$/u, "")}/${bucket}/`, "The endpoint");
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
