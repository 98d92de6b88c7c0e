import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Installation } from "../api/schemas/installation.ts";
import { CASE_HEADER } from "../settings.ts";
import type { CaseFile } from "./case-schema.ts";

/** A case that is served on this machine. */
export interface ServedCase {
  /** The base URL, ending in `/v1`. */
  readonly url: string;
  /** The API key that it asks for: no other program of the machine can read the case. */
  readonly apiKey: string;
  close(): Promise<void>;
}

type Answer = CaseFile["answers"][number];

/** The parameters of pages: a case has a list as far as it was read. */
const PAGE_SIZES = ["pageSize", "limit"];
const PREFIX = "/v1";

/** Serves the answers of a case on a free port of this machine alone. */
export async function serveCase({ answers, made }: CaseFile): Promise<ServedCase> {
  const apiKey = randomBytes(24).toString("base64url");
  const server = createServer((request, response) => {
    // The clock of the service, by which amp says how long ago something was.
    response.setHeader("date", new Date(made).toUTCString());
    if (request.headers["x-api-key"] === apiKey) answer(answers, request, response);
    else problem(response, 401, "A case accepts only its own key", "amp case open sets this key.");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${PREFIX}`,
    apiKey,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(
  answers: readonly Answer[],
  { method = "GET", url = "/" }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== "GET") {
    response.setHeader("allow", "GET");
    problem(
      response,
      405,
      "A case is read-only",
      `${method} was refused; nothing was sent to any service.`,
    );
    return;
  }
  const { pathname, searchParams } = new URL(url, "http://case");
  const path = pathname.startsWith(`${PREFIX}/`) ? pathname.slice(PREFIX.length) : pathname;
  const found =
    answers.find((one) => samePath(one.path, path) && sameQuery(one.query, searchParams)) ??
    partOfProject(answers, path, searchParams);
  if (found === undefined) {
    const isPart = answers.some((one) => samePath(one.path, path));
    const detail = isPart
      ? `The case has only a part of GET ${path}: the pages that were read when it was created.`
      : `The case has no recorded response for GET ${path}.`;
    problem(response, 404, "Not in this case", detail);
    return;
  }
  send(response, found.status, found.headers, found.body);
}

/** The installations of one integration or group, as a part of the recorded ones of the project. */
function partOfProject(
  answers: readonly Answer[],
  path: string,
  query: URLSearchParams,
): Answer | undefined {
  const [, project = "", integration] =
    /^(\/projects\/[^/]+)(?:\/integrations\/([^/]+))?\/installations$/u.exec(path) ?? [];
  const whole = answers.find(
    (one) =>
      samePath(one.path, `${project}/installations`) && sameQuery(one.query, new URLSearchParams()),
  );
  const ref = query.get("groupRef") ?? "";
  const isOther = [...query.keys()].some(
    (name) => name !== "groupRef" && !PAGE_SIZES.includes(name),
  );
  if (project === "" || isOther || !Array.isArray(whole?.body)) return undefined;
  const body = (whole.body as readonly Partial<Installation>[]).filter(
    (one) =>
      (integration === undefined || one?.integrationId === decoded(integration)) &&
      (ref === "" || one?.group?.groupRef === ref),
  );
  // Of an integration that no installation names, nobody knows whether it exists.
  const isKnown = integration === undefined || ref !== "" || body.length > 0;
  return isKnown ? { ...whole, body } : undefined;
}

function samePath(one: string, other: string): boolean {
  return one === other || decoded(one) === decoded(other);
}

function decoded(path: string): string | undefined {
  try {
    return path.split("/").map(decodeURIComponent).join("\n");
  } catch {
    return undefined;
  }
}

/** Whether a query asks for the same: its pages may have another size, and begin with the first. */
function sameQuery(recorded: Readonly<Record<string, string>>, asked: URLSearchParams): boolean {
  const matters = (names: Iterable<readonly [string, string]>) =>
    [...names]
      .filter(([name, value]) => !PAGE_SIZES.includes(name) && value !== "")
      .map((pair) => JSON.stringify(pair))
      .sort()
      .join();
  return matters(Object.entries(recorded)) === matters(asked);
}

function problem(response: ServerResponse, status: number, title: string, detail: string): void {
  const headers = { "content-type": "application/problem+json" };
  response.setHeader(CASE_HEADER, "1");
  send(response, status, headers, { type: "about:blank", title, status, detail });
}

function send(
  response: ServerResponse,
  status: number,
  headers: Answer["headers"] | { "content-type": string },
  body: unknown,
): void {
  response.writeHead(status, { ...headers });
  response.end(JSON.stringify(body ?? null));
}
