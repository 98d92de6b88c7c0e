import { createHash } from "node:crypto";
import type { WorldDestination } from "./world.ts";

/** How long a message is also signed by the secret before a rotation, in milliseconds. */
const OVERLAP_MS = 24 * 3_600_000;

/** A signing key in the form of Svix; equal facts make equal keys, as with IDs. */
function keyOf(...facts: readonly string[]): string {
  return `whsec_${createHash("sha256").update(facts.join(" ")).digest("base64").slice(0, 32)}`;
}

/** The secret that a webhook destination's messages are signed by. */
export function signingKey({ id, secrets }: WorldDestination): string {
  const own = secrets?.webhookSigningKey;
  return typeof own === "string" ? own : keyOf(id);
}

/** The fields of a webhook destination that a rotation of its secret changes. */
export function rotated(
  destination: WorldDestination,
  { sequence, now, timeScale }: { sequence: number; now: Date; timeScale: number },
): Partial<WorldDestination> {
  const { id, secrets } = destination;
  const webhookSigningKey = keyOf(id, `${sequence} ${JSON.stringify(secrets)}`);
  const until = new Date(now.getTime() + OVERLAP_MS / timeScale).toISOString();
  return {
    secrets: { ...secrets, webhookSigningKey },
    previousKey: { webhookSigningKey: signingKey(destination), until },
  };
}

/** The secrets that a message is signed by now: during a rotation the new one and the old one. */
export function signingSecrets(destination: WorldDestination, now: Date): readonly string[] {
  const { previousKey } = destination;
  const isValid = previousKey !== undefined && now.getTime() < Date.parse(previousKey.until);
  return [signingKey(destination), ...(isValid ? [previousKey.webhookSigningKey] : [])];
}
