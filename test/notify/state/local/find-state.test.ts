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
    ? Promise.resolve(new Response(null, { status: 405, headers: { allow: "POST" } }))
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

const folder = () => join(cwd, ".local", "state", "amp-admin");
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

  it("is asked for once in a run, by ID never again, and read by both words offline", async () => {
    const asks = ({ requests }: Awaited<ReturnType<typeof apply>>) =>
      requests.filter(({ path }) => path === "/projects").length;
    const env = { AMP_BASE_URL: "https://api.example.test/v1", AMP_API_KEY: "sandbox-api-key" };
    expect(asks(await apply(NAME, { env }))).toBe(1);
    // The name may have become that of another project.
    expect(asks(await apply(NAME, { env }))).toBe(1);
    expect(asks(await apply(id, { env }))).toBe(0);
    for (const word of [NAME, id]) {
      const pulled = await amp(["notify", "state", "pull", "--project", word], { env });
      const { code, stdout, requests } = pulled;
      expect({ code, requests }).toEqual({ code: 0, requests: [] });
      expect(JSON.parse(stdout).target.project).toBe(id);
    }
  });

  it.each([403, 404, 405])(
    "by a name of unknown ID (%i) is found by the ID later",
    async (status) => {
      expect(await apply(NAME, { fetch: withProjects(status) })).toMatchObject({ code: 0 });
      expect(targetIn(files()[0] ?? "").project).toBe(NAME);
      const { requests } = await apply(id);
      expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
      expect(files()).toHaveLength(1);
    },
  );

  it.each(["", null])("is that of the name where the service reports no ID: %j", async (odd) => {
    const sandboxOf = (request: Request) =>
      request.url.endsWith("/projects") ? Response.json([{ id: odd, name: NAME }]) : undefined;
    const fetch: RunInput["fetch"] = async (request) =>
      sandboxOf(request) ?? sandbox.fetch(request);
    expect(await apply(NAME, { fetch })).toMatchObject({ code: 0 });
    expect(targetIn(files()[0] ?? "").project).toBe(NAME);
  });

  it("is not guessed where the service fails to report the project", async () => {
    const { code, requests } = await apply(NAME, {
      fetch: withProjects(500),
      env: { AMP_RETRIES: "0" },
    });
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
    expect({ code, paths: requests.map(({ path }) => path) }).toEqual({
      code: 5,
      paths: ["/projects"],
    });
    expect(stderr).toContain("has two states");
    for (const name of [byName, byId]) expect(stderr.replaceAll(/\s+/gu, "")).toContain(name);
  });

  it("is not a copy of its file", async () => {
    await apply(NAME);
    copyFileSync(join(folder(), files()[0] ?? ""), join(folder(), "copy.json"));
    expect(await apply(id)).toMatchObject({ code: 0 });
    expect(await createdTopics()).toBe(2);
  });

  it("is another one for another project and service, and a file that is not a state is none", async () => {
    await apply(NAME);
    writeFileSync(join(folder(), "broken.json"), '{ "target": {"origin": ');
    writeFileSync(join(folder(), "empty.json"), "");
    const elsewhere = await amp(["notify", "state", "pull", "--project", "other"]);
    expect(elsewhere.code).toBe(3);
    expect((await amp(["notify", "state", "pull", "--project", NAME])).code).toBe(0);
  });
});

describe("a name that is another project's by now", () => {
  const OTHER = "prj_of_others";
  /** The service after the project was deleted, and another one got its name. */
  const reused = (request: Request) =>
    new URL(request.url).pathname.endsWith("/projects")
      ? Promise.resolve(Response.json([{ id: OTHER, name: NAME }]))
      : withoutLists(request);

  it.each([
    ["its default state", [] as string[], "amp notify plan --project prj_of_others"],
    ["a state of its own", ["--state", "s.json"], "--project prj_of_others --state <location>"],
  ])("is noticed with %s, and nothing is written", async (_, state, next) => {
    expect((await apply(NAME, undefined, ...state)).code).toBe(0);
    const place = state[1] ?? join(folder(), files()[0] ?? "");
    const before = readFileSync(join(cwd, place.replace(`${cwd}/`, "")), "utf8");
    writeFileSync(join(cwd, "routing.yaml"), "version: 1\ntopics: { three: {} }\n");
    for (const verb of ["apply -f routing.yaml --yes", "plan -f routing.yaml"]) {
      const argv = ["notify", ...verb.split(" "), "--project", NAME, ...state, "--json"];
      const refused = await amp(argv, { fetch: reused });
      expect(refused.code, verb).toBe(5);
      expect(refused.requests.filter(({ method }) => method !== "GET")).toEqual([]);
      expect(refused.error()).toMatchObject({
        message: `The name ${NAME} now belongs to another project`,
        detail: expect.stringContaining(id),
        remedy: expect.stringContaining(
          state.length === 0 ? `the name again, move ${place} away` : "choose another location",
        ),
        suggestion: expect.stringContaining(next),
      });
    }
    expect(readFileSync(join(cwd, place.replace(`${cwd}/`, "")), "utf8")).toBe(before);
    // By the old ID the state is that of its project still.
    expect((await apply(id, { fetch: reused }, ...state)).code).toBe(0);
  });

  it("gets a state of its own once the new project is named by its ID", async () => {
    await apply(NAME);
    let made = 0;
    const created = async (request: Request) => {
      if (request.method !== "POST") return reused(request);
      made += 1;
      return Response.json({ id: `top_${made}` }, { status: 201 });
    };
    expect((await apply(OTHER, { fetch: created })).code).toBe(0);
    expect(files()).toHaveLength(2);
    expect(files().map((file) => targetIn(file).project)).toEqual(
      expect.arrayContaining([id, OTHER]),
    );
    // Now the name means the new one.
    const again = await apply(NAME, { fetch: created }, "--json");
    expect(again.code).toBe(0);
    expect(again.requests.map(({ method }) => method)).not.toContain("POST");
  });

  it("is not asked about where the service does not answer, and changes nothing there", async () => {
    await apply(NAME);
    for (const status of [403, 404, 500]) {
      const input = { fetch: withProjects(status), env: { AMP_RETRIES: "0" } };
      expect((await apply(NAME, input)).code).toBe(0);
    }
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
