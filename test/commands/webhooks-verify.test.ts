import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { captureLine } from "../../src/events/capture.ts";
import { signatureHeaders } from "../../src/events/message/signature.ts";
import { NOW, type RunInput, run } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = '{"notificationType":"connection.error","data":{"projectId":"p1"}}';
const env = { HOOK_SECRET: SECRET };

const headersAt = (time: Date, body = BODY) =>
  Object.entries(signatureHeaders({ id: "msg_1", time, body }, [SECRET]));
const httpOf = (body: string | Uint8Array, time = NOW) =>
  Buffer.concat([
    Buffer.from(
      `${headersAt(time)
        .map((pair) => pair.join(": "))
        .join("\n")}\n\n`,
    ),
    Buffer.from(body as string),
  ]);

function verify(files: Record<string, string | Uint8Array>, argv: string[], input: RunInput = {}) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const secret = argv.includes("--secret") ? [] : ["--secret", "env:HOOK_SECRET"];
  return run(["webhooks", "verify", ...argv, ...secret], { cwd, env, ...input });
}

describe("amp webhooks verify", () => {
  it("says that a signature holds", async () => {
    const { code, stdout } = await verify({ "r.http": httpOf(BODY) }, ["r.http"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain("Event\tconnection.error");
    expect(stdout).toContain("Signature\tvalid");
  });

  it("exits 8 and says why not, with the request on standard input", async () => {
    const input = { stdin: httpOf(`${BODY}\n`).toString() };
    const { code, stdout } = await verify({}, [], input);
    expect(code).toBe(8);
    expect(stdout).toContain(
      "the signature matches only if the line end after the body is removed",
    );
  });

  it("reads headers and body from two files, the body byte for byte", async () => {
    const latin1 = Buffer.from('{"name":"Café"}', "latin1");
    const headers = JSON.stringify(Object.fromEntries(headersAt(NOW, '{"name":"Café"}')));
    const files = { "h.json": headers, "b.bin": latin1 };
    const { code, json } = await verify(files, [
      "--headers",
      "h.json",
      "--body",
      "b.bin",
      "--json",
    ]);
    expect(code).toBe(8);
    expect(json()).toMatchObject({
      valid: false,
      messages: [{ signature: { problem: "not-utf8" }, bytes: 15 }],
    });
  });

  it("says that a body is incomplete, by its Content-Length or else by its JSON", async () => {
    const cut = BODY.slice(0, 40);
    const length = (bytes: number) => `content-length: ${bytes}\n`;
    const known = await verify({ "r.http": length(BODY.length) + httpOf(cut) }, [
      "r.http",
      "--json",
    ]);
    expect(known.code).toBe(8);
    expect(known.json()).toMatchObject({
      messages: [
        {
          signature: {
            problem: "incomplete-body",
            reason: `the body is incomplete: 40 of ${BODY.length} bytes (Content-Length)`,
            advice: ["Capture the whole body: the signature covers all of its bytes."],
          },
        },
      ],
    });
    const doubt = "The body may be incomplete: it is not complete JSON.";
    for (const start of [BODY.slice(0, -1), cut, '{"a":["x\\""', '{"a": "}']) {
      expect((await verify({ "r.http": httpOf(start) }, ["r.http"])).stdout).toContain(doubt);
    }
    for (const whole of [`${BODY.slice(0, -3)}2"}}`, length(40) + BODY]) {
      const { stdout } = await verify({ "r.http": httpOf(whole) }, ["r.http"]);
      expect(stdout).toContain("no signature matches");
      expect(stdout).not.toContain("incomplete");
    }
  });

  it("says of a body alone that it is not a request, and how a request is written", async () => {
    const alone = await verify({ "body.json": BODY }, ["body.json"]);
    expect(alone.code).toBe(2);
    expect(alone.stderr).toContain("body.json, request 1: not a captured request with headers");
    expect(alone.stderr).toContain("Write a request line, the headers, an empty line and the");
  });

  it("examines each message that amp listen saved, by the time when it arrived", async () => {
    const body = Buffer.from(BODY);
    const hour = 3_600_000;
    const [early, late] = [new Date(NOW.getTime() - 2 * hour), new Date(NOW.getTime() - hour)];
    const lines = [
      captureLine({ headers: headersAt(early), body, time: early }),
      captureLine({ headers: headersAt(early), body, time: late }),
    ];
    const { code, stdout, json } = await verify({ "m.ndjson": lines.join("") }, [
      "m.ndjson",
      "--json",
    ]);
    expect(code).toBe(8);
    expect(json()).toMatchObject({
      messages: [{ signature: { valid: true } }, { signature: { valid: false, problem: "stale" } }],
    });
    expect(stdout).not.toContain(SECRET);
    const page = await verify({ "m.ndjson": lines.join("") }, ["m.ndjson"], { tty: true });
    expect(page.stdout).toContain("1 of 2 signatures are not valid");
    expect(page.stdout.split("Set the clock of the machine")).toHaveLength(2);
  });

  it.each([
    ["a literal secret", ["r.http", "--secret", SECRET], "must be env:VARIABLE, @file or -"],
    ["an unset variable", ["r.http", "--secret", "env:NOPE"], "the variable NOPE is not set"],
    ["a secret that is not base64", ["r.http", "--secret", "@r.http"], "is not valid base64\n"],
    ["no secret", ["r.http"], "--secret"],
    [
      "two ways to name the request",
      ["r.http", "--headers", "r.http", "--body", "r.http"],
      "conflict",
    ],
    ["headers without a body", ["--headers", "r.http"], "are used together"],
    ["standard input twice", ["-", "--secret", "-"], "can be read only once"],
    ["a missing file", ["nope.http"], "Cannot read nope.http"],
  ])("refuses %s", async (title, argv, message) => {
    const secret = argv.includes("--secret") || title === "no secret";
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "r.http"), httpOf(BODY));
    const more = secret ? [] : ["--secret", "env:HOOK_SECRET"];
    const { code, stderr, stdout } = await run(["webhooks", "verify", ...argv, ...more], {
      cwd,
      env,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(SECRET);
  });
});
