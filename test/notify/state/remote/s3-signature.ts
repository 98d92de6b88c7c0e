import { createHash, createHmac } from "node:crypto";
import type { ReceivedRequest } from "./test-server.ts";

/** Whose signature is expected. */
export interface Signing {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** What must be signed, where it is there. */
const TO_SIGN = ["host", "x-amz-date", "x-amz-content-sha256", "if-match", "if-none-match"];

/**
 * Checks a signature of version 4, written after Amazon's description of it and not after the
 * library that signs.
 */
export function isSigned(
  asked: ReceivedRequest,
  { accessKeyId, secretAccessKey, region }: Signing,
): boolean {
  const { headers, method, url, body } = asked;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z\d;-]+), Signature=([\da-f]{64})$/u;
  const [, key, day = "", where, names = "", signature] =
    form.exec(headers.authorization ?? "") ?? [];
  if (key !== accessKeyId || where !== region) return false;
  const signed = names.split(";");
  if (TO_SIGN.some((name) => name in headers && !signed.includes(name))) return false;
  if (headers["x-amz-content-sha256"] !== sha256(body)) return false;

  const canonical = [
    method,
    url.pathname
      .split("/")
      .map((part) => strictly(decodeURIComponent(part)))
      .join("/"),
    "",
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const signingKey = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createHmac("sha256", signingKey).update(toSign).digest("hex") === signature;
}

function strictly(part: string): string {
  return encodeURIComponent(part).replaceAll(
    /[!'()*]/gu,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
