import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One secret for each way in, none a part of another, with what encodings change. */
export const SECRET_PROBES = {
  key: 'canary-key+/="Q7~é',
  token: "canary.jwt-x9.signature_1",
  secretOfEnv: "canary-secret/env+1",
  secretOfFile: "canary\nsecret\nfile",
  literal: "canary-literal-in-the-file",
  header: "canary-header-value-5",
  slack: "canarySlackPath12345678",
  query: "canary-query-value-9",
  statePassword: "canary-state-password",
  aws: "canary/aws+secret+key+000000000000000001",
  awsSession: "canary-aws-session-token==",
  proxy: "canary-proxy-password-7",
} as const;

/** In each form in which a secret may come back. */
export const FORMS = Object.entries(SECRET_PROBES).flatMap(([name, value]) =>
  [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("base64").replace(/=+$/u, ""),
    Buffer.from(value).toString("base64url"),
    JSON.stringify(value).slice(1, -1),
  ].map((form) => ({ name, form })),
);

/** The canaries that a text holds. */
export function seen(text: string, besides: readonly string[] = []): string[] {
  const names = FORMS.filter(({ form }) => text.includes(form)).map(({ name }) => name);
  return [...new Set(names)].filter((name) => !besides.includes(name));
}

/** What files below a folder hold which canaries. */
export function seenInFiles(folder: string): Record<string, string[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const found = files.map((file): [string, string[]] => {
    const path = join(file.parentPath, file.name);
    return [path.slice(folder.length + 1), seen(readFileSync(path, "utf8"))];
  });
  return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

/** A problem whose every word is what it echoes. */
export function problem(status: number, echo: string): Response {
  const body = {
    ...{ status, title: echo, detail: `no key ${echo}`, remedy: echo, requestId: echo },
    ...{ causes: [echo], [echo]: echo, href: `https://help.example/?q=${echo}` },
    issues: [{ in: "header", name: echo, value: { echo }, detail: echo }],
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}
