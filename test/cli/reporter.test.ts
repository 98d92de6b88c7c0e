import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineCommand, table, text, toned } from "../../src/cli/define.ts";
import { createReporter } from "../../src/cli/execute.ts";
import { createOutputSettings } from "../../src/context/output-settings.ts";
import type { Io, Sink } from "../../src/io.ts";
import { forgetSecrets, registerSecret } from "../../src/secrets/secret.ts";
import { REQUEST_ID, type RunInput, run, sandboxAt } from "../harness.ts";
import { doing, only } from "./throwaway-routes.ts";

const ESCAPE = "\u001b[";

beforeEach(() => {
  // Retries wait a random time: none at all here.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a message beside the result", () => {
  const talking = doing(({ report }) => {
    report.notice("a notice");
    report.warn("a warning");
  });

  it("is on stderr; --quiet keeps warnings and errors", async () => {
    expect(await run(["probe"], { routes: talking })).toMatchObject({
      stdout: "",
      stderr: "a notice\na warning\n",
    });
    expect(await run(["probe", "--quiet"], { routes: talking })).toMatchObject({
      stderr: "a warning\n",
    });
    expect((await run(["apps", "get", "x", "-q"], { sandbox: sandboxAt() })).stderr).toContain("✗");
  });

  it("keeps its form and words where a secret is one of the words of pages, and hides the value", async () => {
    const routes = doing(({ report }) => {
      for (const word of ["text", "rows", "kind", "good", "title", "blocks", "done", "name"]) {
        registerSecret(word);
      }
      report.page({
        title: { text: "Result", tone: "good" },
        blocks: [
          { kind: "rows", rows: [["Sent", { text: "rows of 5", kind: "address" }]] },
          { kind: "text", text: 'a good end of "good"', tone: "good" },
        ],
      });
      report.progress({ state: "done", kind: "topic", name: "a text" });
    });
    const { code, stderr } = await run(["probe"], { routes, env: { NO_COLOR: "1" } });
    forgetSecrets();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Result\n\nSent  rows of 5\n\na good end of "[redacted]"\n  ✓ topic        a text\n',
    });
  });

  it("breaks a warning by words on a terminal, and not in a log", async () => {
    const routes = doing(({ report }) => report.warn("a warning of some twenty characters"));
    const env = { NO_COLOR: "1" };
    const told = async (world: RunInput) =>
      (await run(["probe"], { routes, env, ...world })).stderr;
    expect(await told({ tty: { err: true }, columns: 20 })).toBe(
      "a warning of some\ntwenty characters\n",
    );
    expect(await told({ columns: 20 })).toBe("a warning of some twenty characters\n");
  });

  it.each([
    ["long", "x".repeat(50_000)],
    ["of many words", "word ".repeat(50_000)],
    ["of many lines", "line\n".repeat(5_000)],
  ])(
    "fits a message on a screen, though it is %s, and cuts nothing elsewhere",
    async (_, message) => {
      const routes = doing(({ report }) => report.warn(message));
      const env = { NO_COLOR: "1" };
      const { stderr } = await run(["probe"], { routes, tty: { err: true }, env });
      expect(stderr.split("\n").length).toBeLessThan(24);
      expect(stderr.length).toBeLessThan(1_700);
      expect(stderr).toContain("…");
      expect((await run(["probe"], { routes, env })).stderr).toContain(message);
    },
  );

  it("leaves the closing line of a list away with --quiet or in a pipe", async () => {
    const list = async (args: readonly string[], world: RunInput) =>
      (await run(["apps", "list", ...args], { sandbox: sandboxAt(), ...world })).stderr;
    expect(await list([], { tty: true })).toContain("3 provider apps");
    expect(await list(["-q"], { tty: true })).toBe("");
    expect(await list(["--json"], { tty: true })).toBe("");
    expect(await list([], { tty: { err: true } })).toBe("");
    expect(await list(["-o", "table"], { tty: { err: true } })).toBe("");
  });
});

describe("--debug", () => {
  it("logs each request with its time, including retries, and never the key", async () => {
    const secret = "key-4711-of-the-test";
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return asked === 1
        ? Response.json({ status: 503 }, { status: 503 })
        : Response.json([], { headers: { "x-request-id": "req-7" } });
    };
    const env = { AMP_API_KEY: secret };
    const { code, stdout, stderr } = await run(["apps", "list", "--debug", "-o", "yaml"], {
      fetch,
      env,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "[]\n" });
    const url = "https://api.example.test/v1/projects/acme/provider-apps";
    expect(stderr.replaceAll(/[\d.]+ (m?s)\b/gu, "N $1").split("\n")).toEqual([
      `debug: GET ${url} 503 N ms client request ID ${REQUEST_ID}`,
      "Could not list the provider apps yet: the service answered 503. Retrying in N s (attempt 2 of 3).",
      `debug: GET ${url} 200 N ms attempt 2 request ID req-7 client request ID ${REQUEST_ID}`,
      "",
    ]);
    expect(stdout + stderr).not.toContain(secret);
  });

  it("shows no key that the service echoes, in whatever form", async () => {
    const secret = "key/4711+of=test";
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
    const world: RunInput = {
      env: { AMP_API_KEY: secret },
      replies: [
        { status: 400, body: { detail: forms.join(" "), causes: forms, context: { forms } } },
      ],
    };
    for (const format of [[], ["--json"]]) {
      const { code, stdout, stderr } = await run(["apps", "list", "--debug", ...format], world);
      expect(code).toBe(6);
      for (const form of forms) expect(stdout + stderr).not.toContain(form);
      expect(stderr).toContain("[redacted]");
    }
  });
});

describe("colour", () => {
  const routes = only(
    defineCommand({
      options: { fail: text("fail") },
      examples: ["amp probe"],
      run: ({ options, report }) => {
        report.notice("a notice");
        if (options.fail) throw new Error(options.fail);
        return [{ id: "x" }];
      },
      view: table<{ id: string }>(["thing", "things"], {
        State: () => toned("bad", "broken"),
        ID: "id",
      }),
    }),
  );
  const colours = async (args: readonly string[], world: RunInput) => {
    const { stdout, stderr } = await run(["probe", ...args], { routes, ...world });
    return { out: stdout.includes(ESCAPE), err: stderr.includes(ESCAPE) };
  };

  it("is for each stream that is a terminal", async () => {
    expect(await colours([], { tty: true })).toEqual({ out: true, err: true });
    expect(await colours([], {})).toEqual({ out: false, err: false });
    expect(await colours([], { tty: { out: true } })).toEqual({ out: true, err: false });
    expect(await colours([], { tty: { err: true } })).toEqual({ out: false, err: true });
  });

  it.each([
    [["--no-color"], {}],
    [[], { NO_COLOR: "1" }],
    [[], { NO_COLOR: "1", FORCE_COLOR: "1" }],
    [[], { TERM: "dumb" }],
    [[], { FORCE_COLOR: "0" }],
  ])("is switched off by %j %j", async (args, env) => {
    const off = { out: false, err: false };
    expect(await colours(args, { tty: true, env })).toEqual(off);
    expect(await colours([...args, "--fail", "boom"], { tty: true, env })).toEqual(off);
  });

  it("is not switched off by an empty NO_COLOR", async () => {
    expect(await colours([], { tty: true, env: { NO_COLOR: "" } })).toEqual({
      out: true,
      err: true,
    });
  });

  it("is forced where there is no terminal, and changes nothing else of a table there", async () => {
    const piped = ["probe", "-o", "table"];
    const { stdout } = await run(piped, { routes, env: { FORCE_COLOR: "1" } });
    expect(stdout).toContain(`${ESCAPE}31mbroken${ESCAPE}39m`);
    expect(stripVTControlCharacters(stdout)).toBe((await run(piped, { routes })).stdout);
  });

  it("is never forced into data", async () => {
    const env = { FORCE_COLOR: "1" };
    expect(await colours([], { env })).toEqual({ out: false, err: true });
    for (const format of ["json", "ndjson", "yaml", "csv", "tsv", "id"]) {
      expect((await colours(["-o", format], { env, tty: true })).out).toBe(false);
    }
  });

  it("is in no help but for bold headings, and in no version", async () => {
    const withoutBold = (text: string) =>
      text.replaceAll(`${ESCAPE}1m`, "").replaceAll(`${ESCAPE}22m`, "");
    for (const argv of [
      ["--help"],
      ["apps", "list", "--help"],
      ["help", "options"],
      ["--version"],
    ]) {
      const { stdout } = await run(argv, { tty: true, env: { FORCE_COLOR: "1" } });
      expect(withoutBold(stdout)).not.toContain(ESCAPE);
      expect(stdout.includes(ESCAPE)).toBe(argv[0] !== "--version");
    }
  });
});

it("rings the bell of a terminal that is gone, and goes on", async () => {
  const rung: unknown[] = [];
  // No mock function, which would handle the promise: one that nobody handles fails the test.
  const write = (text: unknown) => {
    rung.push(text);
    return Promise.reject(new Error("EIO"));
  };
  const err = { write, isTty: true, columns: 80 } as unknown as Sink;
  const io = { env: {}, out: err, err } as unknown as Io;
  const output = await createOutputSettings(io, {});
  const waitLine = { begin: () => () => {}, isShown: () => false };
  createReporter(io, output, {}, waitLine).bell();
  await new Promise((resolve) => setImmediate(resolve));
  expect(rung).toEqual(["\u0007"]);
});
