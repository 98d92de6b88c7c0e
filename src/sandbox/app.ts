import { type Context, Hono } from "hono";
import { WORLD_HEADER } from "../runtime/loopback.ts";
import type { Operation, OperationCall } from "./operation.ts";
import { invalidInput, problemResponse, Refusal } from "./problem.ts";
import { assertCredential, assertJsonContent, parseJsonBody, readBytes } from "./request.ts";

const STATUS: Readonly<Record<string, number>> = { GET: 200, POST: 201, PATCH: 200, DELETE: 204 };

/** The method of an operation, and its path in hono's notation. */
function routeOf({ route }: Operation, prefix = "/v1"): [method: string, path: string] {
  const [method = "", path = ""] = route.split(" ");
  return [method, `${prefix}${path.replace(/\{(\w+)\}/gu, ":$1")}`];
}

/**
 * The methods of each path, as an Allow header has them. Two operations may name the parameters of
 * one path differently (`destinations/{name}` and `destinations/{id}`), so they are numbered here.
 */
function allowedMethods({ operations, prefix }: AppParts): ReadonlyMap<string, string> {
  const methods = new Map<string, string>();
  for (const [method, path] of operations.map((each) => routeOf(each, prefix))) {
    let position = 0;
    const place = path.replace(/:\w+/gu, () => `:at${position++}`);
    const known = methods.get(place);
    methods.set(place, known === undefined ? method : `${known}, ${method}`);
  }
  return methods;
}

/** One handled request, for a log. */
export interface RequestLine {
  readonly method: string;
  /** The path as it was sent, with its query. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds until the response was ready. */
  readonly ms: number;
  readonly requestId: string;
}

/** The parts that the HTTP side of the sandbox needs. */
export interface AppParts extends Omit<OperationCall, "param" | "queries" | "body" | "origin"> {
  readonly operations: readonly Operation[];
  /** What each path begins with; default: `/v1`. */
  readonly prefix?: string;
  /**
   * Checks the credential of a request; default: {@link assertCredential}.
   * @throws {Refusal}
   */
  readonly authorize?: (headers: Headers) => void;
  readonly nextRequestId: () => string;
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
}

interface Env {
  Variables: { requestId: string; subsystem: string };
}

/** Serves the operations as a hono application. */
export function buildApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const start = performance.now();
    const requestId = parts.nextRequestId();
    context.set("requestId", requestId);
    context.set("subsystem", "api");
    await next();
    const world = parts.store.world.id;
    if (world !== undefined) context.res.headers.set(WORLD_HEADER, world);
    const { method } = context.req;
    const { status } = context.res;
    const ms = performance.now() - start;
    parts.onRequest?.({ method, path: pathOf(context), status, ms, requestId });
  });
  app.use(async (context, next) => {
    checkEncoding(pathOf(context));
    await next();
  });
  for (const operation of parts.operations) {
    app.on(...routeOf(operation, parts.prefix), (context) => respond(context, operation, parts));
  }
  // With `specOnly`, another method of a known path is unknown, too: 404, not 405.
  for (const [path, allow] of parts.specOnly ? [] : allowedMethods(parts)) {
    app.all(path, ({ req }) => {
      const detail = `${req.method} is not allowed here; use ${allow}.`;
      throw new Refusal("method-not-allowed", detail, { headers: { allow } });
    });
  }
  app.notFound((context) => {
    const detail = `There is no operation ${context.req.method} ${pathOf(context)}.`;
    return refuse(context, new Refusal("unknown-operation", detail), parts.now);
  });
  app.onError((error, context) => refuse(context, asRefusal(error), parts.now));
  return app;
}

async function respond(
  context: Context<Env>,
  { subsystem, isPublic, handle }: Operation,
  parts: AppParts,
): Promise<Response> {
  const { req } = context;
  context.set("subsystem", subsystem);
  if (!isPublic) (parts.authorize ?? assertCredential)(req.raw.headers);
  const body = await handle({
    ...parts,
    origin: new URL(req.url).origin,
    param: (name) => req.param(name) ?? "",
    queries: (name) => req.queries(name) ?? [],
    body: async () => {
      assertJsonContent(req.header("content-type") ?? null);
      return parseJsonBody(await readBytes(req.raw));
    },
  });
  if (body instanceof Response) return body;
  const init = {
    status: STATUS[req.method === "HEAD" ? "GET" : req.method] ?? 200,
    headers: { "x-request-id": context.get("requestId") },
  };
  return body === undefined ? new Response(null, init) : Response.json(body, init);
}

function refuse(context: Context<Env>, refusal: Refusal, now: () => Date): Response {
  return problemResponse(refusal, {
    requestId: context.get("requestId"),
    time: now(),
    subsystem: context.get("subsystem"),
    method: context.req.method,
    path: pathOf(context),
  });
}

function asRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal("internal", "The sandbox failed to process this request.", {
    causes: [`${error.name}: ${error.message}`],
  });
}

function pathOf({ req }: Context<Env>): string {
  const { pathname, search } = new URL(req.url);
  return pathname + search;
}

/** Refuses a broken escape, which hono passes on as it is. */
function checkEncoding(value: string): void {
  try {
    decodeURIComponent(value.split("?", 1)[0] ?? "");
  } catch {
    const detail = "is not valid percent-encoding";
    throw invalidInput([{ in: "path", name: "path", value, detail }], "malformed-request");
  }
}
