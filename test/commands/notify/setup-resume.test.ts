import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RunInput, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { atSandbox, CONSENT, made, NEW, noLists, setup, unfinished } from "./setups.ts";

describe("setup --resume", () => {
  const STREAM = [
    ...["--destination-name", "ops-stream", "--destination-type", "kinesis"],
    ...["--metadata", "streamName=amp", "--metadata", "region=eu-central-1"],
    ...["--secret", "awsKeyId=env:KEY_ID", "--secret", "awsSecretKey=-"],
    ...["--topic", "t", "--event", "connection.error"],
  ];

  /** A run that ends at its nth create, as by Ctrl-C. */
  async function interrupted(
    nth: number,
    args: readonly string[] = NEW,
    { files = {}, ...more }: RunInput & { readonly files?: Readonly<Record<string, string>> } = {},
  ) {
    const [cwd, sandbox, stop] = [temporaryFolder(), sandboxAt(), new AbortController()];
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    let posts = 0;
    const { code } = await setup([...args, "--yes"], {
      cwd,
      sandbox,
      signal: stop.signal,
      ...more,
      fetch: async (request) => {
        if (request.method === "POST") posts += 1;
        if (posts === nth) stop.abort("SIGINT");
        return sandbox.fetch(request);
      },
    });
    expect(code).toBe(130);
    expect(unfinished(cwd)).toHaveLength(1);
    return { cwd, sandbox };
  }

  const posts = (requests: readonly { method: string }[]) =>
    requests.filter(({ method }) => method === "POST").length;

  it.each([1, 2, 3, 4])(
    "continues after create %i, and leaves no unfinished setup",
    async (nth) => {
      const world = await interrupted(nth);
      const argv = ["--resume", "--yes", "--json"];
      const { code, requests, json } = await setup(argv, world);
      expect(code).toBe(0);
      expect(posts(requests)).toBe(5 - nth);
      expect(json()).toHaveProperty("secretCommand");
      expect(json()).toMatchObject({
        settled: [
          {
            address: "destination/ops-webhook",
            outcome: nth === 1 ? expect.any(String) : "in_place",
          },
          {},
          {},
          {},
          { address: "destination-route/customer-lifecycle/ops-webhook", outcome: "created" },
        ],
        command: expect.stringContaining("--destination-name ops-webhook"),
      });
      expect(unfinished(world.cwd)).toEqual([]);
      expect((await setup(["--resume", "--yes"], world)).code).toBe(3);
    },
  );

  it("fails without an unfinished setup", async () => {
    const { code, stderr, requests } = await setup(["--resume", "--yes"], {
      sandbox: sandboxAt(),
    });
    expect(code).toBe(3);
    expect(stderr).toContain("No unfinished setup found");
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /projects"]);
  });

  it("shows the plan, and asks", async () => {
    const world = await interrupted(2);
    const no = await setup(["--resume"], atSandbox([[CONSENT, "Cancel"]], world));
    expect(no.code).toBe(130);
    expect(posts(no.requests)).toBe(0);
    expect(no.stderr).toMatch(/\+ +event-route\/customer-lifecycle\/connection\.error +create/u);
    expect(no.stderr).toMatch(/= +topic\/customer-lifecycle +in place/u);
    const yes = await setup(["--resume"], atSandbox([[CONSENT, "Create"]], world));
    expect(yes.code).toBe(0);
    expect(posts(yes.requests)).toBe(3);
  });

  it("lets the answers be changed", async () => {
    const world = await interrupted(2);
    const script = [
      [CONSENT, "Change something"],
      ["What do you want to change?", "Topic"],
      ["Topic", "New topic"],
      ["Topic name", "incidents"],
      [CONSENT, "Create"],
    ] as const;
    const { code, requests } = await setup(["--resume"], atSandbox(script, world));
    expect({ code, posts: posts(requests) }).toEqual({ code: 0, posts: 4 });
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it.each(["prj_acme0a1b", "acme"])("finds it with the project as %s", async (project) => {
    const other = project === "acme" ? "prj_acme0a1b" : "acme";
    const world = await interrupted(2, [...NEW, "--project", other]);
    const { code } = await setup(["--resume", "--yes", "--project", project], world);
    expect(code).toBe(0);
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("needs --yes if it is not interactive", async () => {
    const { code, stderr, requests } = await setup(["--resume"], await interrupted(1));
    expect(code).toBe(2);
    expect(stderr).toContain("Add --yes");
    expect(requests).toEqual([]);
  });

  it("shows the plan with --dry-run", async () => {
    const world = await interrupted(2);
    const { json, requests } = await setup(["--resume", "--dry-run", "--json"], world);
    expect(json()).toMatchObject({
      items: [
        { address: "destination/ops-webhook", action: "in_place" },
        { address: "topic/customer-lifecycle", action: "in_place" },
        { action: "create" },
        { action: "create" },
        { address: "destination-route/customer-lifecycle/ops-webhook", action: "create" },
      ],
    });
    expect(posts(requests)).toBe(0);
    expect(unfinished(world.cwd)).toHaveLength(1);
  });

  it("refuses further answers", async () => {
    const { code, stderr } = await setup(["--resume", "--topic-id", "t", "--yes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--topic");
  });

  it("has no secrets on disk, and says which variable to set", async () => {
    const env = { KEY_ID: "hush-1" };
    const world = await interrupted(1, STREAM, { env, stdin: "hush-2" });
    const [file = ""] = unfinished(world.cwd);
    expect(readFileSync(file, "utf8")).not.toContain("hush");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const without = await setup(["--resume", "--yes"], { ...world, env });
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("OPS_STREAM_AWS_SECRET_KEY must be set");
    const all = { ...env, OPS_STREAM_AWS_SECRET_KEY: "hush-2" };
    expect((await setup(["--resume", "--yes"], { ...world, env: all })).code).toBe(0);
  });

  it("asks again for a secret that was typed", async () => {
    const env = { KEY_ID: "hush-1", NO_COLOR: "1" };
    const world = await interrupted(1, STREAM, { env, stdin: "hush-2" });
    const question = ["Value of OPS_STREAM_AWS_SECRET_KEY", "hush-2"] as const;
    const { code, stdout } = await setup(
      ["--resume"],
      atSandbox([question, [CONSENT, "Create"]], { ...world, env }),
    );
    expect(code).toBe(0);
    expect(stdout).toContain("Set these variables first: OPS_STREAM_AWS_SECRET_KEY");
  });

  it("finds the files of secrets from another folder", async () => {
    const args = STREAM.map((word) => (word === "awsSecretKey=-" ? "awsSecretKey=@key.txt" : word));
    const world = await interrupted(1, args, {
      env: { KEY_ID: "hush-1" },
      files: { "key.txt": "hush-2" },
    });
    const { code } = await setup(["--resume", "--yes"], { ...world, env: { KEY_ID: "hush-1" } });
    expect(code).toBe(0);
  });

  it("is offered before the questions", async () => {
    const world = await interrupted(2);
    const offer = "An earlier setup did not finish";
    const script = [
      [offer, "Resume customer-lifecycle → ops-webhook"],
      [CONSENT, "Create"],
    ] as const;
    const { code, requests } = await setup([], atSandbox(script, world));
    expect(code).toBe(0);
    expect(posts(requests)).toBe(3);
  });

  it("is not offered any more once a new setup has replaced the earlier one", async () => {
    const world = await interrupted(2);
    const offer = ["An earlier setup did not finish", "Start over"] as const;
    const other = NEW.map((word) => word.replace(/^(ops-webhook|customer-lifecycle)$/u, "x"));
    const cancelled = await setup(other, atSandbox([offer, [CONSENT, "Cancel"]], world));
    expect(cancelled.code).toBe(130);
    expect(unfinished(world.cwd)).toHaveLength(1);
    const { code } = await setup(
      ["--destination-type", "webhook", "--topic", "incidents", "--event", "connection.error"],
      atSandbox(
        [
          offer,
          ["Destination name", "other"],
          ["URL", "https://hooks.acme.com/amp"],
          ["Add headers, such as Authorization?", false],
          [CONSENT, "Create"],
        ],
        world,
      ),
    );
    expect(code).toBe(0);
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("survives a setup with other options, which names it", async () => {
    const world = await interrupted(2);
    const other = NEW.map((word) => word.replace("customer-lifecycle", "incidents"));
    const said = "1 earlier setup did not finish: customer-lifecycle → ops-webhook.";
    const { code, stderr } = await setup([...other, "--yes"], world);
    expect(code).toBe(0);
    expect(stderr).toContain(said);
    const { json } = await setup([...other, "--yes", "--json"], world);
    expect(json()).toMatchObject({ warnings: [said] });
    const resumed = await setup(["--resume", "--yes"], world);
    expect({ code: resumed.code, posts: posts(resumed.requests) }).toEqual({ code: 0, posts: 3 });
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("is resumed by its own command, too, which says nothing of it", async () => {
    const world = await interrupted(2);
    const { json } = await setup([...NEW, "--yes", "--json"], world);
    expect(json()).toMatchObject({ warnings: [] });
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("draws what may exist with its sign, not as what exists", async () => {
    const [cwd, sandbox, stop] = [temporaryFolder(), sandboxAt(), new AbortController()];
    let posts = 0;
    await setup([...NEW, "--yes"], {
      cwd,
      sandbox,
      signal: stop.signal,
      fetch: async (request) => {
        const answer = await sandbox.fetch(request);
        if (request.method === "POST") posts += 1;
        if (posts < 3) return answer;
        stop.abort("SIGINT");
        throw new TypeError("the answer is lost");
      },
    });
    const answers = [[CONSENT, "Cancel"]] as const;
    const { stderr } = await setup(["--resume"], atSandbox(answers, { sandbox, cwd }));
    expect(stderr).toMatch(/^ +\? connection\.error +─/mu);
    expect(stderr).toMatch(/^ +\+ installation\.created +─/mu);
  });

  it("is one of several: a terminal asks which, a script chooses it by its names", async () => {
    const { sandbox, cwd } = await interrupted(2);
    const other = NEW.map((word) => word.replace("customer-lifecycle", "incidents"));
    const stop = new AbortController();
    await setup([...other, "--yes"], {
      sandbox,
      cwd,
      signal: stop.signal,
      fetch: async (request) => {
        if (request.method === "POST") stop.abort("SIGINT");
        return sandbox.fetch(request);
      },
    });
    expect(unfinished(cwd)).toHaveLength(2);
    const script = await setup(["--resume", "--yes"], { sandbox, cwd });
    expect(script.code).toBe(5);
    expect(script.stderr).toContain("2 setups did not finish");
    const of = (topic: string) =>
      `--resume --destination-name ops-webhook --topic ${topic} --event connection.error --event installation.created --yes`;
    for (const topic of ["customer-lifecycle", "incidents"]) {
      expect(script.stderr).toContain(`amp notify setup ${of(topic)}`);
    }
    const none = await setup(of("elsewhere").split(" "), { sandbox, cwd });
    expect(none).toMatchObject({ code: 3, requests: [] });
    expect(none.stderr).toContain("No unfinished setup matches --destination-name ops-webhook");
    expect(none.stderr).toMatch(/Unfinished: .*customer-lifecycle → ops-webhook/u);
    expect(none.stderr).toContain(`amp notify setup ${of("incidents")}`);
    const read = await setup(["--resume", "--json"], { sandbox, cwd });
    expect(JSON.parse(read.stderr).error.setups).toContainEqual({
      topic: "incidents",
      destination: "ops-webhook",
      events: ["connection.error", "installation.created"],
      command: `amp notify setup ${of("incidents")}`,
    });
    const both = await setup(["--resume", "--topic", "incidents", "--url", "x"], { sandbox, cwd });
    expect(both.stderr).toContain("cannot be combined with --url");
    const dry = await setup([...of("incidents").split(" "), "--dry-run", "--json"], {
      sandbox,
      cwd,
    });
    expect(dry.stdout).toContain("topic/incidents");
    const answers = [
      ["Unfinished setup", "Resume incidents → ops-webhook"],
      [CONSENT, "Create"],
    ] as const;
    const asked = await setup(["--resume"], atSandbox(answers, { sandbox, cwd }));
    expect(asked.code).toBe(0);
    expect(unfinished(cwd)).toHaveLength(1);
  });

  it("is suggested with the state of the setup, which has the answers beside it", async () => {
    const cwd = temporaryFolder();
    const { stderr } = await setup([...NEW, "--yes", "--state", "mine.json"], {
      cwd,
      fetch: noLists((nth) => (nth === 2 ? new Response(null, { status: 504 }) : made(nth))),
    });
    expect(stderr).toContain("amp notify setup --resume --yes --state mine.json");
    expect(readdirSync(cwd)).toContainEqual(
      expect.stringMatching(/^mine\.json\.\w{8}\.setup\.yaml$/u),
    );
    expect(unfinished(cwd)).toEqual([]);
  });
});
