import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RunInput, run, sandboxAt } from "../../harness.ts";
import { startStateServer } from "../../notify/state/remote/state-server.ts";
import { CTRL_C } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { atSandbox, CONSENT, made, NEW, noLists, setup, unfinished } from "./setups.ts";

describe("a setup that did not finish", () => {
  const STREAM = [
    ...["--destination-name", "ops-stream", "--destination-type", "kinesis"],
    ...["--metadata", "streamName=amp", "--metadata", "region=eu-central-1"],
    ...["--secret", "awsKeyId=env:KEY_ID", "--secret", "awsSecretKey=-"],
    ...["--topic", "t", "--event", "connection.error"],
  ];

  /** A run that ends at its nth create, as by Ctrl-C, and the words that continue it. */
  async function interrupted(nth: number, args: readonly string[] = NEW, more: RunInput = {}) {
    const [sandbox, stop] = [sandboxAt(), new AbortController()];
    const cwd = more.cwd ?? temporaryFolder();
    let posts = 0;
    const { code, error } = await setup([...args, "--yes", "--json"], {
      sandbox,
      signal: stop.signal,
      ...more,
      cwd,
      fetch: async (request) => {
        if (request.method === "POST") posts += 1;
        if (posts === nth) stop.abort("SIGINT");
        return sandbox.fetch(request);
      },
    });
    expect(code).toBe(130);
    const [file = ""] = unfinished(cwd);
    const command = String(error().suggestion);
    expect(command).toContain(`amp notify apply -f ${file} --allow literal-secrets`);
    return { world: { cwd, sandbox }, file, again: command.split(" ").slice(1) };
  }

  const posts = (requests: readonly { method: string }[]) =>
    requests.filter(({ method }) => method === "POST").length;

  it.each([1, 2, 3, 4])("is continued after create %i by the command of its error", async (nth) => {
    const { world, again } = await interrupted(nth);
    const { code, requests, json } = await run([...again, "--yes", "--json"], world);
    expect(code).toBe(0);
    expect(posts(requests)).toBe(5 - nth);
    expect(json()).toMatchObject({
      settled: [
        { address: "destination/ops-webhook" },
        {},
        {},
        {},
        { address: "destination-route/customer-lifecycle/ops-webhook", outcome: "created" },
      ],
    });
    expect(unfinished(world.cwd)).toEqual([]);
    // The same routing of the same owner.
    const setUp = await setup([...NEW, "--yes", "--json"], world);
    expect(setUp.json()).toMatchObject({ counts: { in_place: 5 } });
  });

  it("is continued by its own command, too, which says nothing of it", async () => {
    const { world } = await interrupted(2);
    const { code, stderr, requests } = await setup([...NEW, "--yes"], world);
    expect({ code, posts: posts(requests) }).toEqual({ code: 0, posts: 3 });
    expect(stderr).not.toContain("did not finish");
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("keeps its file while a plan or a dry run of it changes nothing", async () => {
    const { world, again, file } = await interrupted(2);
    expect((await run([...again, "--dry-run"], world)).code).toBe(0);
    expect((await run(again, world)).code).toBe(2);
    expect(unfinished(world.cwd)).toEqual([file]);
  });

  it("is named by the next setup, which goes on without it", async () => {
    const { world, again, file } = await interrupted(2);
    const other = NEW.map((word) => word.replace("customer-lifecycle", "incidents"));
    const script = await setup([...other, "--yes"], world);
    expect(script.code).toBe(0);
    expect(script.stderr).toContain("An earlier setup did not finish.");
    expect(script.stderr.replaceAll(/\s*\\\n\s*/gu, " ")).toContain(again.join(" "));
    // Somebody has edited it.
    writeFileSync(file, `${readFileSync(file, "utf8")}\n- [`);
    const asked = await setup([], atSandbox([["Destination", CTRL_C]], world));
    expect(asked.stderr).toContain("An earlier setup did not finish.");
    expect(unfinished(world.cwd)).toEqual([file]);
  });

  it("has what was typed in a file as private as the state, and references as they are", async () => {
    const env = { KEY_ID: "hush-1" };
    const { world, again, file } = await interrupted(1, STREAM, { env, stdin: "hush-2" });
    const text = readFileSync(file, "utf8");
    expect(text).toContain("awsSecretKey: hush-2");
    expect(text).toContain("awsKeyId: env:KEY_ID");
    expect(text).toContain("Keep this file private");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { code, stdout, stderr } = await run([...again, "--yes"], { ...world, env });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("hush");
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("finds the files of secrets from another folder, and may read them", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "key.txt"), "hush-2");
    const args = STREAM.map((word) => (word === "awsSecretKey=-" ? "awsSecretKey=@key.txt" : word));
    const env = { KEY_ID: "hush-1" };
    const { world, again } = await interrupted(1, args, { env, cwd });
    expect(again).toContain(`file:${join(cwd, "key.txt")}`);
    mkdirSync(join(cwd, "elsewhere"));
    expect((await run([...again, "--yes"], { ...world, env })).code).toBe(0);
  });

  it("allows a variable of a login only by name, as it was typed", async () => {
    const env = { AWS_ACCESS_KEY_ID: "hush-1" };
    const args = STREAM.map((word) => word.replace("KEY_ID", "AWS_ACCESS_KEY_ID"));
    const { world, again } = await interrupted(1, args, { env, stdin: "hush-2" });
    expect(again.join(" ")).toContain("--allow env:AWS_ACCESS_KEY_ID");
    expect((await run([...again, "--yes"], { ...world, env })).code).toBe(0);
  });

  it("has no file before anything was agreed to, and none after a refusal", async () => {
    const world = { cwd: temporaryFolder(), sandbox: sandboxAt() };
    expect((await setup(NEW, atSandbox([[CONSENT, "Cancel"]], world))).code).toBe(130);
    expect(unfinished(world.cwd)).toEqual([]);
    const insecure = NEW.map((word) => word.replace("https:", "http:"));
    const refused = await setup([...insecure, "--yes", "--allow", "http"], world);
    expect(refused.code).toBe(6);
    expect(refused.stderr).not.toContain("amp notify apply");
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("shows what may exist with its sign, not as what exists", async () => {
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
    // A plan looks nothing up.
    const { stdout } = await setup([...NEW, "--dry-run"], atSandbox([], { sandbox, cwd }));
    expect(stdout).toMatch(/^\? +route +connection\.error → .* outcome unknown$/mu);
    expect(stdout).toMatch(/^\+ +route +installation\.created → /mu);
  });

  it("has its file beside the state that was named, and names both", async () => {
    const cwd = temporaryFolder();
    const { error } = await setup([...NEW, "--yes", "--json", "--state", "mine.json"], {
      cwd,
      fetch: noLists((nth) => (nth === 2 ? new Response(null, { status: 504 }) : made(nth))),
    });
    expect(error().suggestion).toMatch(
      /amp notify apply -f \S+\/mine\.json\.\w{8}\.setup\.yaml --allow literal-secrets --state mine\.json$/u,
    );
    expect(unfinished(cwd)).toEqual([]);
  });

  it("has its file in the local folder of states where the state is on a server", async () => {
    const server = await startStateServer();
    const [cwd, sandbox, stop] = [temporaryFolder(), sandboxAt(), new AbortController()];
    const env = { AMP_STATE: `${server.origin}/state`, AMP_PROFILE: "sandbox" };
    const world = { cwd, env, sandbox };
    const { code } = await setup([...NEW, "--yes"], {
      ...world,
      signal: stop.signal,
      fetch: async (request) => {
        if (request.method === "POST") stop.abort("SIGINT");
        return sandbox.fetch(request);
      },
    });
    expect(code).toBe(130);
    const [file = ""] = unfinished(cwd);
    expect(file).toMatch(/remote_\w{8}\.\w{8}\.setup\.yaml$/u);
    const apply = ["notify", "apply", "-f", file, "--allow", "literal-secrets", "--yes"];
    expect(await run(apply, world)).toMatchObject({ code: 0 });
    expect(unfinished(cwd)).toEqual([]);
    await server.close();
  });
});
