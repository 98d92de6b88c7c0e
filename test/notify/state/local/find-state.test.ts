import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { isSameTarget } from "../../../../src/notify/state/state.ts";
import { type RunInput, run, sandboxAt } from "../../../harness.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { startStateServer } from "../remote/state-server.ts";
import { TARGET } from "../state-fixture.ts";

const NAME = "acme";
let id: string;
let cwd: string;
let sandbox: ReturnType<typeof sandboxAt>;

beforeEach(async () => {
  cwd = temporaryFolder();
  sandbox = sandboxAt();
  writeFileSync(join(cwd, "routing.yaml"), "version: 1\ntopics: { one: {}, two: {} }\n");
  const projects = (await asked("/projects")) as { id: string; name: string }[];
  id = projects.find(({ name }) => name === NAME)?.id ?? "";
  expect(["", NAME]).not.toContain(id);
});

async function asked(path: string): Promise<unknown> {
  const headers = { "x-api-key": "sandbox-api-key" };
  return (await sandbox.fetch(new Request(`http://127.0.0.1:4747/v1${path}`, { headers }))).json();
}

/** A service without lists, where only a state prevents that everything is created again. */
const withoutLists = (request: Request) =>
  request.method === "GET" && /topics|destinations|routes/u.test(request.url)
    ? Promise.resolve(new Response(null, { status: 405 }))
    : Promise.resolve(sandbox.fetch(request));

/** A service that answers a status in place of its projects. */
const withProjects = (status: number) => (request: Request) =>
  new URL(request.url).pathname.endsWith("/projects")
    ? Promise.resolve(Response.json({ status }, { status }))
    : withoutLists(request);

const amp = (argv: readonly string[], input: RunInput = {}) =>
  run(argv, { cwd, sandbox, fetch: withoutLists, ...input });

const apply = (project: string, input?: RunInput, ...more: string[]) =>
  amp(["notify", "apply", "-f", "routing.yaml", "--yes", "--project", project, ...more], input);

const folder = () => join(cwd, ".local", "state", "amp");
const files = () => readdirSync(folder()).filter((name) => name.endsWith(".json"));
const targetIn = (file: string) => JSON.parse(readFileSync(join(folder(), file), "utf8")).target;

async function createdTopics(): Promise<number> {
  const topics = (await asked(`/projects/${id}/topics`)) as { name: string }[];
  return topics.filter(({ name }) => ["one", "two"].includes(name)).length;
}

describe("the state of a project", () => {
  it.each([
    ["name, then by ID", () => [NAME, id]],
    ["ID, then by name", () => [id, NAME]],
  ])("is one, whether it is given by %s", async (_, words) => {
    const [first = "", second = ""] = words();
    expect(await apply(first)).toMatchObject({ code: 0 });
    const again = await apply(second, undefined, "--json");
    expect(again.code).toBe(0);
    expect(again.requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(files()).toHaveLength(1);
    expect(targetIn(files()[0] ?? "")).toMatchObject({ project: id, name: NAME });
    expect(await createdTopics()).toBe(2);
  });

  it("is asked for once, and read offline by both words after that", async () => {
    const { requests } = await apply(NAME);
    expect(requests.filter(({ path }) => path === "/projects")).toHaveLength(1);
    expect((await apply(NAME)).requests.map(({ path }) => path)).not.toContain("/projects");
    for (const word of [NAME, id]) {
      const { code, stdout, requests } = await amp(["notify", "state", "pull", "--project", word]);
      expect({ code, requests }).toEqual({ code: 0, requests: [] });
      expect(JSON.parse(stdout).target.project).toBe(id);
    }
  });

  it.each([403, 404, 405])(
    "by a name that nobody knew (%i) is found by the ID later",
    async (status) => {
      expect(await apply(NAME, { fetch: withProjects(status) })).toMatchObject({ code: 0 });
      expect(targetIn(files()[0] ?? "").project).toBe(NAME);
      const { requests } = await apply(id);
      expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
      expect(files()).toHaveLength(1);
    },
  );

  it("is not guessed where the service fails to report the project", async () => {
    const { code, requests } = await apply(NAME, { fetch: withProjects(500) }, "--retries", "0");
    expect(code).toBe(7);
    expect(requests.map(({ method }) => method)).not.toContain("POST");
  });

  it("in a file or on a server is the same by both words", async () => {
    const server = await startStateServer();
    onTestFinished(() => server.close());
    for (const state of ["state.json", `${server.origin}/state`]) {
      writeFileSync(join(cwd, "routing.yaml"), `version: 1\ntopics: { t${state.length}: {} }\n`);
      expect(await apply(NAME, undefined, "--state", state)).toMatchObject({ code: 0 });
      const { code, requests } = await apply(id, undefined, "--state", state);
      expect({ code, posts: requests.filter(({ method }) => method === "POST") }).toEqual({
        code: 0,
        posts: [],
      });
    }
  });

  it("on GitLab is named after the ID by both words", async () => {
    const name = `amp-127-0-0-1-4747-v1-${id.replaceAll(/[^A-Za-z\d]+/gu, "-")}`;
    const statePath = `/api/v4/projects/7/terraform/state/${name}`;
    const server = await startStateServer({
      statePath,
      lockPath: `${statePath}/lock`,
      lockMethod: "POST",
      unlockMethod: "DELETE",
    });
    onTestFinished(() => server.close());
    const env = {
      AMP_STATE: "gitlab",
      CI_API_V4_URL: `${server.origin}/api/v4`,
      CI_PROJECT_ID: "7",
      CI_JOB_TOKEN: "job-token",
    };
    for (const word of [NAME, id]) {
      const { code, stderr } = await apply(word, { env });
      expect(code, stderr).toBe(0);
    }
    expect(await createdTopics()).toBe(2);
  });

  it("that was made twice is refused, with both files", async () => {
    // Where the service did not report the project, the state has the name alone.
    await apply(NAME, { fetch: withProjects(404) });
    const [byName = ""] = files();
    const text = readFileSync(join(folder(), byName), "utf8");
    rmSync(join(folder(), byName));
    await apply(NAME);
    const [byId = ""] = files();
    writeFileSync(join(folder(), byName), text);
    const { code, stderr, requests } = await apply(NAME);
    expect({ code, requests }).toEqual({ code: 5, requests: [] });
    expect(stderr).toContain("has two states");
    for (const name of [byName, byId]) expect(stderr.replaceAll(/\s+/gu, "")).toContain(name);
  });

  it("is not one of the copies that somebody made of it", async () => {
    await apply(NAME);
    copyFileSync(join(folder(), files()[0] ?? ""), join(folder(), "copy.json"));
    expect(await apply(id)).toMatchObject({ code: 0 });
    expect(await createdTopics()).toBe(2);
  });

  it("is another one for another project and service, and a file that is no state is none", async () => {
    await apply(NAME);
    writeFileSync(join(folder(), "broken.json"), '{ "target": {"origin": ');
    writeFileSync(join(folder(), "empty.json"), "");
    const elsewhere = await amp(["notify", "state", "pull", "--project", "other"]);
    expect(elsewhere.code).toBe(3);
    expect((await amp(["notify", "state", "pull", "--project", NAME])).code).toBe(0);
  });
});

describe("two targets", () => {
  const known = { ...TARGET, project: "p_1", name: "acme" };
  it.each([
    ["the same ID and another name", { ...known, name: "renamed" }, true],
    ["another ID and the same name", { ...known, project: "p_2" }, false],
    ["the name alone", { ...TARGET, project: "acme" }, true],
    ["the ID alone", { ...TARGET, project: "p_1" }, true],
    ["another word", { ...TARGET, project: "p_2" }, false],
    ["another service", { ...known, origin: "https://other.example" }, false],
    ["another version", { ...known, basePath: "/v2" }, false],
  ])("with %s", (_, other, same) => {
    expect(isSameTarget(known, other)).toBe(same);
    expect(isSameTarget(other, known)).toBe(same);
  });
});
