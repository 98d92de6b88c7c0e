import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { FORMS, problem, SECRET_PROBES, seen, seenInFiles } from "./secret-probe.ts";

afterEach(() => vi.unstubAllGlobals());

const SLACK = `https://hooks.slack.com/services/${SECRET_PROBES.slack}`;
const WEBHOOK = `https://hooks.acme.com/amp?token=${SECRET_PROBES.query}`;
const ENV = {
  SECRET_ENV: SECRET_PROBES.secretOfEnv,
  AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
  AWS_SECRET_ACCESS_KEY: SECRET_PROBES.aws,
  AWS_SESSION_TOKEN: SECRET_PROBES.awsSession,
  AMP_STATE_USERNAME: "ci",
  AMP_STATE_PASSWORD: SECRET_PROBES.statePassword,
};

const ROUTING = `version: 1
destinations:
  chat: { type: slack, metadata: { url: "${SLACK}" } }
  hook: { type: webhook, metadata: { url: "${WEBHOOK}", headers: { X-Team: ${SECRET_PROBES.header} } } }
  stream:
    type: kinesis
    metadata: { streamName: events, region: eu-central-1 }
    secrets: { awsKeyId: ${SECRET_PROBES.literal}, awsSecretKey: env:SECRET_ENV, awsSessionToken: "file:secret.txt" }
topics:
  lifecycle: { events: [installation.created], destinations: [chat, hook, stream] }
`;

const GIVEN = {
  "routing.yaml": ["literal", "header", "slack", "query"],
  "secret.txt": ["secretOfFile"],
};

function folder(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), ROUTING);
  writeFileSync(join(cwd, "secret.txt"), SECRET_PROBES.secretOfFile);
  return cwd;
}

/** All that a service knows of secrets, in every form. */
const ECHO = FORMS.map(({ form }) => form).join(" ");

/** Creates are refused in words that repeat every secret; reads are answered. */
function repeating(status: number): RunInput {
  // Without lists, for where it is not known what came of a create, it would wait and look.
  const sandbox = sandboxAt(NOW, status < 500 ? {} : { specOnly: true });
  const fetch = async (request: Request) =>
    request.method === "POST"
      ? problem(status, `${ECHO} ${SLACK} ${WEBHOOK}`)
      : sandbox.fetch(request);
  return { sandbox, fetch };
}

const FILE = ["--file", "routing.yaml", "--allow", "literal-secrets"];
const CREATE = ["notify", "destinations", "create", "--name", "ops"];
const CASES: Readonly<Record<string, readonly string[]>> = {
  plan: ["notify", "plan", ...FILE],
  apply: ["notify", "apply", ...FILE, "--yes"],
  "apply --dry-run": ["notify", "apply", ...FILE, "--dry-run"],
  "plan --out": ["notify", "plan", ...FILE, "--out", "plan.json"],
  "a slack destination": [...CREATE, "--type", "slack", "--url", SLACK],
  "a slack destination, dry": [...CREATE, "--type", "slack", "--url", SLACK, "--dry-run"],
  "a webhook with a header": [
    ...[...CREATE, "--type", "webhook", "--url", WEBHOOK],
    ...["--metadata", `headers.X-Team=${SECRET_PROBES.header}`],
  ],
  "a webhook with a header, dry": [
    ...[...CREATE, "--type", "webhook", "--url", WEBHOOK, "--dry-run"],
    ...["--metadata", `headers.X-Team=${SECRET_PROBES.header}`],
  ],
  "a stream": [
    ...[
      ...CREATE,
      "--type",
      "kinesis",
      "--metadata",
      "streamName=x",
      "--metadata",
      "region=eu-west-1",
    ],
    ...["--secret", "awsKeyId=env:SECRET_ENV", "--secret", "awsSecretKey=@secret.txt"],
  ],
};

/** The query of a webhook is not a secret to the service's records, and shown where they are listed. */
const QUERY = ["query"];

describe.each(Object.entries(CASES))("%s", (name, argv) => {
  it.each([[], ["--json"], ["--debug", "--output", "yaml"]])(
    "shows and saves nothing %j",
    async (...more) => {
      const cwd = folder();
      const sandbox = sandboxAt();
      const { stdout, stderr, code } = await run([...argv, ...more], { cwd, sandbox, env: ENV });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(seen(stderr)).toEqual([]);
      expect(seen(stdout, more.length > 0 ? QUERY : [])).toEqual([]);
      expect(seenInFiles(cwd)).toEqual(GIVEN);
    },
  );

  it.each([400, 401, 409, 422, 500])(
    "where a create ends in %i and all is repeated",
    async (status) => {
      for (const more of [[], ["--json", "--debug"]]) {
        const cwd = folder();
        const world = { cwd, env: { ...ENV, CI: "true", AMP_RETRIES: "0" }, ...repeating(status) };
        const { stdout, stderr } = await run([...argv, ...more], world);
        const own = ownOf(name);
        expect(seen(stderr).filter((one) => own.includes(one))).toEqual([]);
        expect(seen(stdout).filter((one) => own.includes(one))).toEqual([]);
        expect(leftBehind(cwd, own)).toEqual({});
      }
    },
  );
});

/** Files with any of these, beside those that were there before. */
function leftBehind(cwd: string, own: readonly string[]): Record<string, string[]> {
  const files = Object.entries(seenInFiles(cwd)).filter(([file]) => !(file in GIVEN));
  const found = files.map(([file, names]): [string, string[]] => [
    file,
    names.filter((name) => own.includes(name)),
  ]);
  return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

/** What a command has read, and so can know when it comes back. */
function ownOf(name: string): readonly string[] {
  const [, kind = ""] = /^a (slack|webhook|stream)/u.exec(name) ?? [];
  const own: Readonly<Record<string, readonly string[]>> = {
    slack: ["slack"],
    webhook: ["query", "header"],
    stream: ["secretOfEnv", "secretOfFile"],
  };
  return own[kind] ?? ["slack", "query", "header", "literal", "secretOfEnv", "secretOfFile"];
}

describe("the answers of an unfinished setup", () => {
  it("hold what no reference can stand for, readable by their owner alone", async () => {
    const cwd = folder();
    const argv = [
      ...["notify", "setup", "--destination-name", "chat", "--destination-type", "slack"],
      ...["--url", SLACK, "--topic", "lifecycle", "--event", "installation.created", "--yes"],
    ];
    const { stdout, stderr } = await run(argv, { cwd, env: ENV, ...repeating(500) });
    expect(seen(stdout)).not.toContain("slack");
    expect(seen(stderr)).not.toContain("slack");
    const found = leftBehind(cwd, ["slack"]);
    const [kept = ""] = Object.keys(found);
    // The one exception: see "Secrets" of README.md.
    expect(kept).toMatch(/\.setup\.yaml$/u);
    expect(found).toEqual({ [kept]: ["slack"] });
    expect(statSync(join(cwd, kept)).mode & 0o777).toBe(0o600);
  });
});

describe("a state elsewhere", () => {
  const places = {
    "on a server": "https://state.example/amp?token=canary-query-value-9",
    "in a bucket": "s3://amp-state/routing.json?region=eu-west-1",
  };

  it.each(Object.entries(places))("%s that repeats its credential", async (_name, place) => {
    const own = ["statePassword", "query", "aws", "awsSession"];
    for (const status of [400, 401, 403, 500]) {
      vi.stubGlobal("fetch", async (request: Request) => {
        const basic = request.headers.get("authorization") ?? "";
        const text = `<Code>Bad</Code><Message>${ECHO} ${basic} ${request.url}</Message>`;
        return new Response(text, { status });
      });
      const cwd = folder();
      const argv = ["notify", "state", "list", "--state", place, "--debug"];
      const { stdout, stderr, code } = await run(argv, {
        cwd,
        sandbox: sandboxAt(),
        env: { ...ENV, AMP_RETRIES: "0" },
      });
      expect(code).not.toBe(0);
      const bucket = place.startsWith("s3:");
      const used = own.filter((one) => bucket === one.startsWith("aws"));
      expect(seen(stdout + stderr).filter((one) => used.includes(one))).toEqual([]);
      expect(seenInFiles(cwd)).toEqual(GIVEN);
    }
  });
});

describe("files of saved logins that are broken", () => {
  it.each(["credentials.json", "config.json"])("%s is not quoted", async (file) => {
    const cwd = folder();
    mkdirSync(join(cwd, "config"), { mode: 0o700 });
    const broken = [
      `{"secret": "${SECRET_PROBES.token}" x`,
      SECRET_PROBES.token,
      `{"version":"${SECRET_PROBES.token}"}`,
    ];
    for (const text of broken) {
      writeFileSync(join(cwd, "config", file), text, { mode: 0o600 });
      for (const words of [
        ["auth", "status"],
        ["auth", "list"],
        ["notify", "topics", "list"],
      ]) {
        for (const more of [[], ["--json"], ["--debug"]]) {
          const env = { AMP_API_KEY: undefined, AMP_PROFILE: undefined };
          const { stdout, stderr } = await run([...words, ...more], { cwd, env });
          expect(seen(stdout + stderr)).toEqual([]);
        }
      }
    }
  });
});
