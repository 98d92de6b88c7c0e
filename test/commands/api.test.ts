import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import apiCommand from "../../src/commands/api.ts";
import { networkError } from "../api/fake-service.ts";
import { type Reply, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const api = (args: readonly string[], world: RunInput = {}) => run(["api", ...args], world);
const answer = (reply: Reply, more: RunInput = {}): RunInput => ({ ...more, replies: [reply] });

describe("amp api", () => {
  it.each([
    [["/projects/{project}/destinations/ops?rotate=true"]],
    [["/projects/{project}/destinations/ops?%72otate=true"]],
    [["get", "/projects/{project}/destinations/ops", "--field", "rotate=true"]],
    [["/projects/{project}/destinations/ops", "--field", "rotate:=true", "-X", "HEAD"]],
  ])("knows the rotation of a signing secret as a write: %j", async (args) => {
    const { code, stdout, requests } = await api([...args, "--dry-run"]);
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(stdout).toMatch(/(?:GET|HEAD) \/projects\/acme\/.*otate=true/u);
    const fetch = () => Promise.reject(networkError("ECONNRESET"));
    const lost = await api(args, { fetch });
    expect(lost.code).toBe(9);
    expect(lost.requests).toHaveLength(1);
  });

  it.each([
    ["JSON without a line end", '{"a":1}', "application/json", '{"a":1}\n'],
    ["JSON with one", '{"a":1}\n', "application/json", '{"a":1}\n'],
    ["no body", "", "application/json", ""],
    ["what is not JSON", "abc", "application/octet-stream", "abc"],
  ])("ends JSON with a line end in a pipe: %s", async (_, body, type, stdout) => {
    const outcome = await api(["/projects"], answer({ body, headers: { "content-type": type } }));
    expect(outcome.stdout).toBe(stdout);
  });

  it("prints the answer as it is, byte for byte", async () => {
    const body = '{"b":1,  "a":[ 1,2 ],"é":"\\u0007","__proto__":null}';
    const { code, stdout, stderr, requests } = await api(["GET", "/projects"], answer({ body }));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${body}\n`, stderr: "" });
    expect(requests).toMatchObject([{ method: "GET", path: "/projects" }]);
    expect(requests[0]?.headers.get("x-api-key")).toBe("key-of-the-test");
  });

  it("fills the placeholders, each as one segment", async () => {
    const { requests } = await api(["get", "orgs/{org}/x/{project}?a={project}", "--org", "o/1"], {
      ...answer({ body: "" }),
      env: { AMP_PROJECT: "a b/é" },
    });
    expect(requests[0]).toMatchObject({
      method: "GET",
      path: "/orgs/o%2F1/x/a%20b%2F%C3%A9?a=a%20b%2F%C3%A9",
    });
  });

  it("refuses a placeholder without a value, and one that is none", async () => {
    const missing = await api(["GET", "/x/{org}"]);
    expect(missing).toMatchObject({ code: 2, requests: [] });
    expect(missing.stderr).toContain("{org} has no value; pass --org");
    const unknown = await api(["GET", "/x/{y}"]);
    expect(unknown).toMatchObject({ code: 2, requests: [] });
    expect(unknown.stderr).toContain("choose one of: {project}, {org}, {integration}");
  });

  it("never leads elsewhere than below the base URL", async () => {
    for (const path of [
      "https://evil.example/",
      "//evil.example",
      "/../x",
      "x/../../y",
      "/%2e%2e/x",
    ]) {
      const { code, requests } = await api(["GET", path], {
        fetch: async () => new Response("{}"),
      });
      if (code === 2) expect(requests).toEqual([]);
      else expect(requests[0]?.path).toMatch(/^\/evil\.example/u);
    }
  });

  it("puts fields into the query of a read and into the JSON of a write", async () => {
    const fields = ["--field", "groupRef=a b&c", "--field", "tag=x=y", "--field", "tag=z"];
    const read = await api(["GET", "/x?a=1", ...fields], answer({ body: "" }));
    expect(read.requests[0]?.path).toBe("/x?a=1&groupRef=a+b%26c&tag=x%3Dy&tag=z");
    const write = await api(
      ["POST", "/x", "--field", "name=life", "--field", "empty="],
      answer({ body: "" }),
    );
    expect(write.requests[0]).toMatchObject({
      method: "POST",
      path: "/x",
      body: { name: "life", empty: "" },
    });
    expect(write.requests[0]?.headers.get("content-type")).toBe("application/json");
    expect(await api(["POST", "/x", "--field", "name"])).toMatchObject({ code: 2, requests: [] });
  });

  it("fills in the integration, of the option or the environment", async () => {
    const id = "113e9685-9a51-42cc-8662-9d9725b17f14";
    const path = ["GET", "/projects/{project}/integrations/{integration}"];
    const typed = await api([...path, "--integration", id], answer({ body: "" }));
    expect(typed.requests[0]?.path).toBe(`/projects/acme/integrations/${id}`);
    const set = await api(path, { ...answer({ body: "" }), env: { AMP_INTEGRATION: id } });
    expect(set.requests[0]?.path).toBe(`/projects/acme/integrations/${id}`);
    const none = await api(path);
    expect(none).toMatchObject({ code: 2, requests: [] });
    expect(none.stderr).toContain("{integration} has no value; pass --integration");
  });

  it("takes JSON values and lists as fields", async () => {
    const fields = ["n:=5", "on:=true", 'of:={"a":[1]}', "ids[]=a", "ids[]:=7", "url=a:=b"];
    const args = fields.flatMap((field) => ["--field", field]);
    const write = await api(["POST", "/x", ...args], answer({ body: "" }));
    expect(write.requests[0]?.body).toEqual({
      n: 5,
      on: true,
      of: { a: [1] },
      ids: ["a", 7],
      url: "a:=b",
    });
    const read = await api(["GET", "/x", ...args], answer({ body: "" }));
    const query = decodeURIComponent(read.requests[0]?.path ?? "");
    expect(query).toBe('/x?n=5&on=true&of={"a":[1]}&ids[]=a&ids[]=7&url=a:=b');
  });

  it("refuses a field that is no JSON, has no name, or would be lost", async () => {
    for (const [fields, why] of [
      [["n:=five"], '--field n: "five" is not JSON'],
      [["[]=a"], "has no name"],
      [["a=1", "a=2"], "--field a was passed twice"],
      [["a=1", "a[]=2"], "--field a was passed twice"],
    ] as const) {
      const args = fields.flatMap((field) => ["--field", field]);
      const refused = await api(["POST", "/x", ...args]);
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(refused.stderr).toContain(why);
    }
  });

  it("sends a body from a file or from standard input", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "body.json"), '{"name": "from-file"}');
    const file = await api(["POST", "/x", "--input", "body.json"], answer({ body: "" }, { cwd }));
    expect(file.requests[0]?.body).toEqual({ name: "from-file" });
    const piped = await api(
      ["PATCH", "/x", "--input", "-", "--field", "updateMask=name"],
      answer({ body: "" }, { stdin: '{"name": "piped"}' }),
    );
    expect(piped.requests[0]).toMatchObject({
      method: "PATCH",
      path: "/x?updateMask=name",
      body: { name: "piped" },
    });
    const absent = await api(["POST", "/x", "--input", "nope.json"]);
    expect(absent).toMatchObject({ code: 2, requests: [] });
    expect(absent.stderr).toContain("Cannot read nope.json: file not found");
  });

  it("prints status and headers first with --include", async () => {
    const reply = { status: 202, body: "{}", headers: { "x-request-id": "r-1" } };
    const { stdout } = await api(["GET", "/x", "--include"], answer(reply));
    expect(stdout).toBe("HTTP 202\ncontent-type: application/json\nx-request-id: r-1\n\n{}\n");
  });

  it.each([
    [401, 4],
    [403, 4],
    [404, 3],
    [409, 5],
    [422, 6],
    [302, 7],
  ])("passes an answer of %i on, and exits %i", async (status, code) => {
    const outcome = await api(["GET", "/x"], answer({ status, body: '{"status":0}' }));
    expect(outcome).toMatchObject({ code, stdout: '{"status":0}\n' });
    expect(outcome.stderr).toContain(`(${status})`);
  });

  it("knows that a write of which the answer is a failure may have been done", async () => {
    const outcome = await api(["POST", "/x"], answer({ status: 502, body: "<html>" }));
    expect(outcome).toMatchObject({ code: 9, stdout: "<html>\n" });
    expect(outcome.stderr).toContain("The request may have taken effect.");
  });

  it("says that a refused write had no body, and how to give one", async () => {
    const hint = "No body was sent: add --field key=value, or --input FILE.";
    const stderrOf = async (args: string[], status: number) =>
      (await api(args, answer({ status, body: "{}" }))).stderr;
    for (const status of [400, 415, 422]) {
      expect(await stderrOf(["PATCH", "/x"], status)).toContain(hint);
    }
    expect(await stderrOf(["PATCH", "/x", "--field", "a=b"], 400)).not.toContain(hint);
    expect(await stderrOf(["PATCH", "/x"], 404)).not.toContain(hint);
    expect(await stderrOf(["GET", "/x"], 400)).not.toContain(hint);
  });

  it.each([[["-X", "patch"]], [["-XPATCH"]], [["--method=PATCH"]]])(
    "takes the method as an option, too: %j",
    async (typed) => {
      const { code, requests } = await api([...typed, "/x"], answer({ body: "" }));
      expect([code, requests.map(({ method }) => method)]).toEqual([0, ["PATCH"]]);
      // It writes: the same words before the path are refused, and nothing is guessed.
      const twice = await run(["api", ...typed, "PATCH", "/x"]);
      expect(twice).toMatchObject({ code: 2, requests: [] });
      expect(twice.stderr).toContain("The HTTP method is given twice");
    },
  );

  it.each([
    ["/v1/projects", true],
    ["v1", true],
    ["/v1beta/projects", false],
    ["/projects/v1", false],
  ])("says of an unknown path %s that the base URL has its version: %s", async (path, isSaid) => {
    const base = ["--base-url", "https://api.example.test/v1"];
    const { code, stderr } = await api([path, ...base], answer({ status: 404, body: {} }));
    expect(code).toBe(3);
    expect(stderr.includes("The base URL already ends in /v1: leave it out of the path.")).toBe(
      isSaid,
    );
  });

  it("says how to send a body that was typed after the path, as for curl", async () => {
    for (const typed of [[], ["-X", "POST"]]) {
      const refused = await run(["api", ...typed, "/x", "-d", '{"name":"zz"}']);
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(refused.stderr).toContain("--field key=value or --input FILE; -d means --debug");
    }
  });

  it("shows the target of a write, but not of a read", async () => {
    const { stderr } = await api(["post", "/x"], answer({ body: "" }));
    expect(stderr).toBe("Acting as AMP_API_KEY · https://api.example.test/v1\n");
    expect((await api(["HEAD", "/x"], answer({}))).stderr).toBe("");
  });

  it("sends no write in a dry run, and shows what it would be", async () => {
    const args = [
      "POST",
      "/projects/{project}/destinations",
      "--input",
      "-",
      "--dry-run",
      "--json",
    ];
    const outcome = await api(args, { stdin: '{"name":"n","secrets":{"password":"hush"}}' });
    expect(outcome).toMatchObject({ code: 0, requests: [] });
    expect(outcome.json()).toEqual([
      {
        method: "POST",
        path: "/projects/acme/destinations",
        body: { name: "n", secrets: { password: "[redacted]" } },
      },
    ]);
  });

  it("takes no header of the user's, and no method that is none", async () => {
    const outcome = await api(["G T", "/x"]);
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.stderr).toContain('"G T" is not a valid HTTP method');
  });

  it("keeps a terminal whole: harmless, and its last line ended", async () => {
    const body = 'é\u001b[2J\u0007{"a":1}';
    const chunks = new TextEncoder().encode(body);
    const fetch = async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            // In the middle of a character.
            controller.enqueue(chunks.slice(0, 1));
            controller.enqueue(chunks.slice(1));
            controller.close();
          },
        }),
      );
    const world = { fetch, tty: true, env: { NO_COLOR: "1" } };
    expect((await api(["GET", "/x"], world)).stdout).toBe('é\\u{1b}[2J\\u{7}{"a":1}\n');
    expect((await api(["GET", "/x"], { fetch })).stdout).toBe(body);
  });

  it("reads and writes at the sandbox", async () => {
    const sandbox = sandboxAt();
    const made = await api(["POST", "/projects/{project}/topics", "--field", "name=life"], {
      sandbox,
    });
    expect(made.json()).toMatchObject({ name: "life" });
    const listed = await api(["GET", "/projects/{project}/topics"], { sandbox });
    expect(listed.json()).toMatchObject([{ name: "life" }]);
  });
});

describe("the request of amp api", () => {
  const json = { "content-type": "application/json" };

  it("is a GET without a method", async () => {
    const { requests } = await api(["/projects/{project}/topics"], answer({ body: [] }));
    expect(requests).toMatchObject([{ method: "GET", path: "/projects/acme/topics" }]);
    expect(await api(["POST"])).toMatchObject({ code: 2, requests: [] });
  });

  it("is completed with the methods, as argument and as option", async () => {
    const { args, options } = apiCommand;
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    expect(args?.methodOrPath.suggestions).toEqual(methods);
    expect(options?.method.suggestions).toEqual(methods);
  });

  it("may be a full URL of the same origin, and of no other", async () => {
    const { requests } = await api(["https://api.example.test/v1/x?a=1"], answer({ body: [] }));
    expect(requests).toMatchObject([{ path: "/x?a=1" }]);
    for (const url of [
      "https://evil.example/v1/x",
      "http://api.example.test/v1/x",
      "https://api.example.test.evil.example/v1/x",
      "https://me:secret@api.example.test/v1/x",
      "file:///etc/passwd",
    ]) {
      const { code, stderr, requests: sent } = await api(["GET", url]);
      expect({ url, code, sent }).toEqual({ url, code: 2, sent: [] });
      expect(stderr).not.toContain("secret");
    }
  });

  it("has an answer that is indented on a terminal, with every digit, and ends with a line break", async () => {
    const body = '{"id":12345678901234567890,"a":[1]}';
    const at = async (tty: boolean, reply: Reply) =>
      (await api(["/x"], { ...answer(reply), tty })).stdout;
    expect(await at(true, { body, headers: json })).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": [\n    1\n  ]\n}\n',
    );
    expect(await at(false, { body, headers: json })).toBe(`${body}\n`);
    expect(await at(true, { body: "{half", headers: json })).toBe("{half\n");
    expect(await at(true, { body: '{"a":1}', headers: { "content-type": "text/plain" } })).toBe(
      '{"a":1}\n',
    );
  });

  it("has an answer of any size on a terminal", async () => {
    const body = JSON.stringify({ a: "x".repeat(2_000_000), b: 1 });
    const { stdout } = await api(["/x"], { ...answer({ body, headers: json }), tty: true });
    expect(stdout).toBe(`${body}\n`);
  });
});
