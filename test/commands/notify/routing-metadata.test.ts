import { chmodSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { NEW, setup } from "./setups.ts";

const SLACK = "https://hooks.slack.com/services/T000/B000/hush-hush-1";
const env = { OPS_URL: SLACK, OPS_TOKEN: "Bearer of-a-token", OPS_STREAM: "secret-stream" };
const FILE = `version: 1
destinations:
  ops: { type: slack, metadata: { url: env:OPS_URL } }
  hook: { type: webhook, metadata: { url: https://a.test, headers: { X: env:OPS_TOKEN } } }
  stream:
    type: kinesis
    metadata: { streamName: env:OPS_STREAM, region: r }
    secrets: { awsKeyId: env:OPS_TOKEN, awsSecretKey: env:OPS_TOKEN }
topics: { t: { events: [connection.error], destinations: [ops, hook, stream] } }
`;

function world(text = FILE) {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  writeFileSync(join(cwd, "routing.yaml"), text);
  const amp = (words: readonly string[], variables: Record<string, string | undefined> = env) =>
    run(["notify", ...words], { cwd, sandbox, env: variables });
  return { cwd, sandbox, amp };
}

describe("a text that amp shows in place of a hidden value", () => {
  const HIDDEN = "https://a.test/?token=[redacted]";

  it("is refused in a routing file", async () => {
    const { amp } = world(FILE.replace("https://a.test", `"${HIDDEN}"`));
    const refused = await amp(["apply", "-f", "routing.yaml", "--yes"]);
    expect([refused.code, refused.requests.filter(({ method }) => method !== "GET")]).toEqual([
      2,
      [],
    ]);
    expect(refused.stderr).toContain(
      "metadata.url: [redacted] is shown in place of a hidden value; use env:NAME",
    );
  });

  it("is refused as an option", async () => {
    const words = ["destinations", "create", "--name", "x", "--type", "webhook", "--url", HIDDEN];
    const refused = await world().amp([...words, "--yes"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      "metadata url: [redacted] is shown in place of a hidden value",
    );
    expect(refused.requests).toEqual([]);
  });
});

describe("env:NAME in the metadata of a routing file", () => {
  it("goes to the destination alone, whatever address a header contains", async () => {
    const value = "https://elsewhere.example/x";
    const plan = await world().amp(["plan", "-f", "routing.yaml", "--json"], {
      ...env,
      OPS_TOKEN: value,
    });
    expect((plan.json() as { secrets: object[] }).secrets[0]).toMatchObject({
      secret: "metadata.headers.X",
      deliversTo: ["a.test"],
    });
    expect(plan.stdout).not.toContain("elsewhere.example");
  });

  it("has no line end or spaces of a pasted value", async () => {
    const { amp } = world();
    const applied = await amp(["apply", "-f", "routing.yaml", "--yes"], {
      ...env,
      OPS_URL: ` ${SLACK}\n`,
    });
    const urls = applied.requests.map(
      ({ body }) => (body as { metadata?: { url?: string } } | undefined)?.metadata?.url,
    );
    expect([applied.code, urls.includes(SLACK)]).toEqual([0, true]);
    const words = ["destinations", "create", "--name", "x", "--type", "webhook"];
    const created = await amp([...words, "--url", "env:OPS_URL", "--yes"], {
      OPS_URL: "https://a.test\r\n",
    });
    expect(created.requests.at(-1)?.body).toMatchObject({ metadata: { url: "https://a.test" } });
    const blank = await amp(["plan", "-f", "routing.yaml"], { ...env, OPS_URL: "  \n" });
    expect([blank.code, blank.stderr]).toEqual([2, expect.stringContaining("OPS_URL is empty")]);
  });

  it("is sent by its value and shown by its name", async () => {
    const { amp } = world();
    const plan = await amp(["plan", "-f", "routing.yaml", "--json"]);
    expect(plan.code).toBe(0);
    expect((plan.json() as { secrets: object[] }).secrets).toMatchObject([
      { reference: "env:OPS_TOKEN", secret: "metadata.headers.X", destination: "hook" },
      { reference: "env:OPS_URL", secret: "metadata.url", deliversTo: ["hooks.slack.com"] },
      { reference: "env:OPS_STREAM", deliversTo: ["env:OPS_STREAM"], sent: true },
      { secret: "awsKeyId" },
      { secret: "awsSecretKey" },
    ]);
    const applied = await amp(["apply", "-f", "routing.yaml", "--yes"]);
    expect(applied.code).toBe(0);
    const sent = applied.requests
      .filter(({ method, path }) => method === "POST" && path.endsWith("/destinations"))
      .map(({ body }) => (body as { metadata: object }).metadata);
    expect(sent).toEqual(
      expect.arrayContaining([
        { url: SLACK },
        { url: "https://a.test", headers: { X: env.OPS_TOKEN } },
        { streamName: env.OPS_STREAM, region: "r" },
      ]),
    );
    for (const { stdout, stderr } of [plan, applied]) {
      for (const value of Object.values(env)) expect(stdout + stderr).not.toContain(value);
    }
    expect((await amp(["plan", "-f", "routing.yaml", "--json"])).json()).toMatchObject({
      pending: false,
    });
  });

  it("is shown by its name where the service has another value", async () => {
    const { amp } = world();
    await amp(["apply", "-f", "routing.yaml", "--yes"]);
    const other = { ...env, OPS_STREAM: "other-stream" };
    const plan = await amp(["plan", "-f", "routing.yaml", "--json"], other);
    const { items } = plan.json() as { items: { differences?: object[] }[] };
    expect(items.flatMap(({ differences = [] }) => differences)).toEqual([
      { field: "metadata.streamName", wanted: "env:OPS_STREAM", found: "[redacted]" },
    ]);
    for (const value of [env.OPS_STREAM, other.OPS_STREAM])
      expect(plan.stdout + plan.stderr).not.toContain(value);
  });

  it("obeys the rules for secrets", async () => {
    const { amp } = world(FILE.replace("env:OPS_URL", "env:AWS_SECRET_ACCESS_KEY"));
    const refused = await amp(["plan", "-f", "routing.yaml"]);
    expect([refused.code, refused.requests]).toEqual([2, []]);
    expect(refused.stderr).toMatch(/metadata.url: AWS_SECRET_ACCESS_KEY\s+belongs to/u);
    const unset = await world().amp(["plan", "-f", "routing.yaml"], { ...env, OPS_URL: undefined });
    expect(unset.stderr).toMatch(/metadata.url: variable OPS_URL\s+is not\s+set/u);
  });

  it("is warned of at its place by check, and by nothing else", async () => {
    const { amp } = world();
    const notSet = (place: string, name: string) =>
      `routing.yaml:${place}: variable ${name} is not set, so its value is not checked`;
    const expected = [
      notSet('3:40: warning: destination "ops": metadata.url', "OPS_URL"),
      notSet('4:73: warning: destination "hook": metadata.headers.X', "OPS_TOKEN"),
      notSet('7:29: warning: destination "stream": metadata.streamName', "OPS_STREAM"),
    ];
    const checked = await amp(["check", "-f", "routing.yaml", "--json"], {});
    expect(checked.json()).toMatchObject({
      fileWarnings: expected,
      unavailableSecrets: ["env:OPS_URL", "env:OPS_TOKEN", "env:OPS_STREAM"],
    });
    expect((await amp(["check", "-f", "routing.yaml", "--json"])).json()).toMatchObject({
      fileWarnings: [],
      unavailableSecrets: [],
    });
  });
});

it("destinations create refuses missing fields and misspelt ones, also with --dry-run", async () => {
  const { amp } = world();
  const words = ["destinations", "create", "--name", "s", "--type", "kinesis", "--dry-run"];
  const { stderr } = await amp([...words, "--metadata", "regoin=x"]);
  const warned = stderr.replaceAll(/\s+/gu, " ");
  expect(warned).toContain("A kinesis destination needs metadata.streamName (name of the stream)");
  expect(warned).toContain("Correct them, or pass --allow unknown,incomplete.");
  expect(warned).toContain("metadata.regoin is not a field of a kinesis destination: did you mean");
});

describe("a saved routing file", () => {
  const isGiven = (word: string | undefined, type: readonly string[]) =>
    word?.startsWith("--") === true && type.includes(word);
  const save = async (type: readonly string[], variables = {}) => {
    const cwd = temporaryFolder();
    // An option of one value may be given once only.
    const kept = NEW.filter((word, at) => ![word, NEW[at - 1]].some((one) => isGiven(one, type)));
    const words = [...kept, ...type, "--save", "routing.yaml", "--yes", "--json"];
    const sandbox = sandboxAt();
    const saved = await setup(words, { cwd, sandbox, env: variables });
    expect(saved.code).toBe(0);
    const path = join(cwd, "routing.yaml");
    const mode = statSync(path).mode & 0o777;
    return {
      text: await readFile(path, "utf8"),
      mode,
      saved,
      path,
      again: () => setup(words, { cwd, sandbox }),
    };
  };

  it("names a variable for a Slack URL and for headers", async () => {
    const slack = ["--destination-type", "slack", "--url", SLACK];
    const { text } = await save(slack);
    expect(text).toContain("url: env:OPS_WEBHOOK_URL");
    expect(text).toContain("# OPS_WEBHOOK_URL must be set.");
    expect(text).not.toContain(SLACK);
    const headers = await save(["--metadata", "headers.X-Key=hush-hush-2"]);
    expect(headers.text).toContain("X-Key: env:OPS_WEBHOOK_HEADERS_X_KEY");
    expect(headers.text).not.toContain("hush-hush-2");
  });

  it("keeps the reference that was typed", async () => {
    const slack = ["--destination-type", "slack", "--url", "env:OPS_URL"];
    const { text, saved } = await save(slack, env);
    expect(text).toContain("url: env:OPS_URL");
    expect(saved.requests.map(({ body }) => JSON.stringify(body)).join()).toContain(SLACK);
    expect(saved.stdout + saved.stderr).not.toContain(SLACK);
  });

  it("names a variable for a URL that has a secret in it", async () => {
    for (const url of ["https://a.test/in?token=hush", "https://a.test/in?a=b&api_key=hush"]) {
      const { text } = await save(["--url", url]);
      expect(text).toContain("url: env:OPS_WEBHOOK_URL");
      expect(text).toContain("# OPS_WEBHOOK_URL must be set.");
      expect(text).not.toContain("hush");
    }
  });

  it("is private, and says so, where a URL in it works like a password", async () => {
    const { text, mode, path, again } = await save(["--url", "https://a.test/in/T0AB12CD99"]);
    expect(text.split("\n")[0]).toMatch(/^# Keep this file private/u);
    expect(mode).toBe(0o600);
    chmodSync(path, 0o644);
    expect((await again()).code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const open = await save(["--url", "https://a.test/in"]);
    expect(open.text).not.toContain("private");
    expect(open.mode).not.toBe(0o600);
  });
});
