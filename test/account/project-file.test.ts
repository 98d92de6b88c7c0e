import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findProjectFile } from "../../src/account/project-file.ts";
import { UsageError } from "../../src/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let root: string;
let home: string;
let cwd: string;

beforeEach(async () => {
  root = temporaryFolder();
  home = join(root, "home");
  cwd = join(home, "work", "repo", "src");
  await mkdir(cwd, { recursive: true });
});

const WAY_OUT = "Fix the file, or move it away.";
const put = (folder: string, text: string) => writeFile(join(folder, ".amp.yaml"), text);
const read = async (text: string) => {
  await put(cwd, text);
  const file = await findProjectFile({ cwd, homeDir: home, env: {} });
  if (file?.problem) throw file.problem;
  return file?.values;
};

describe("the search", () => {
  it("finds no file if none exists, and ignores a folder of that name", async () => {
    await mkdir(join(cwd, ".amp.yaml"));
    expect(await findProjectFile({ cwd, homeDir: home, env: {} })).toBeUndefined();
  });

  it("finds the nearest one upwards, that of the home folder last", async () => {
    await put(home, "project: general");
    expect(await findProjectFile({ cwd, homeDir: home, env: {} })).toEqual({
      path: join(home, ".amp.yaml"),
      text: "project: general",
      isForeign: false,
      values: { project: "general" },
    });
    await put(join(home, "work", "repo"), "project: repo");
    expect((await findProjectFile({ cwd, homeDir: home, env: {} }))?.values).toEqual({
      project: "repo",
    });
    await put(cwd, "project: here");
    expect((await findProjectFile({ cwd, homeDir: home, env: {} }))?.values).toEqual({
      project: "here",
    });
  });

  it("does not look above the home folder, but up to the root elsewhere", async () => {
    await put(root, "project: of-others");
    expect(await findProjectFile({ cwd, homeDir: home, env: {} })).toBeUndefined();
    const elsewhere = join(root, "srv", "repo");
    await mkdir(elsewhere, { recursive: true });
    expect((await findProjectFile({ cwd: elsewhere, homeDir: home, env: {} }))?.values).toEqual({
      project: "of-others",
    });
  });
});

describe("the file", () => {
  it("accepts every setting of a project by its option's name", async () => {
    const text = `
      # What everybody here uses
      project: acme-prod
      profile: production
      base-url: https://api.example.com/v1
      org: "org_1"
      integration: 113e9685-9a51-42cc-8662-9d9725b17f14
      output: json
      timeout: 30s`;
    expect(await read(text)).toEqual({
      project: "acme-prod",
      profile: "production",
      baseUrl: "https://api.example.com/v1",
      org: "org_1",
      integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
      output: "json",
      timeout: "30s",
    });
  });

  it("reads values as they are written", async () => {
    expect(await read("project: 0123\norg: on\nintegration: 1e3\nprofile: null")).toEqual({
      project: "0123",
      org: "on",
      integration: "1e3",
      profile: "null",
    });
  });

  it.each(["", "# nothing yet\n", "---\n"])("may be empty: %j", async (text) => {
    expect(await read(text)).toEqual({});
  });

  it.each([
    [
      "project: a\nprojct: b",
      /\.amp\.yaml:2: "projct" is not a project setting/u,
      "Did you mean project?",
    ],
    [
      "\n\nbaseUrl: x",
      /\.amp\.yaml:3: "baseUrl" is not a project setting/u,
      "Did you mean base-url?",
    ],
    ["\nproject: '..'", /\.amp\.yaml:2: project cannot be "\.\."/u, WAY_OUT],
    ['org: "a\\nTrusted by IT"', /:1: org must not contain line breaks or control/u, WAY_OUT],
    ['profile: "a\\u2028b"', /:1: profile must not contain line breaks or control/u, WAY_OUT],
    ['state: "a\\eb"', /:1: state must not contain line breaks or control/u, WAY_OUT],
    ["quite-different: x", /is not a project setting/u, WAY_OUT],
    ["project: a\noutput: pdf", /\.amp\.yaml:2: output: "pdf" is not a valid format/u, WAY_OUT],
    ["timeout: soon", /\.amp\.yaml:1: timeout: "soon"/u, expect.anything()],
    ["deadline: soon", /\.amp\.yaml:1: deadline: "soon"/u, expect.anything()],
    ["deadline: 11", /\.amp\.yaml:1: deadline: "11" is not a valid duration/u, expect.anything()],
    ["__proto__: x", /is not a project setting/u, WAY_OUT],
    ["? [a]\n: b", /is not a project setting/u, WAY_OUT],
    [
      "project: a\napi-key: hidden",
      /\.amp\.yaml:2: \.amp\.yaml must not contain secrets/u,
      expect.stringMatching(/log in/u),
    ],
    ["apiKey: hidden", /must not contain secrets/u, expect.anything()],
    ["AMP_API_KEY: hidden", /must not contain secrets/u, expect.anything()],
    ["token: hidden", /must not contain secrets/u, expect.anything()],
    ["access-token: hidden", /must not contain secrets/u, expect.anything()],
    ["client_secret: hidden", /must not contain secrets/u, expect.anything()],
    ["project: a\nproject: b", /\.amp\.yaml:2 is not valid YAML/u, WAY_OUT],
    ["project: a\norg: b: c", /\.amp\.yaml:2 is not valid YAML/u, WAY_OUT],
    ["- project", /must contain lines of the form key: value/u, WAY_OUT],
    ["just text", /must contain lines of the form key: value/u, WAY_OUT],
    ["project:", /\.amp\.yaml:1: project must have a string/u, WAY_OUT],
    ['project: ""', /:1: project must have a string/u, WAY_OUT],
    ["project: [a]", /:1: project must have a string/u, WAY_OUT],
    ["project: {a: b}", /:1: project must have a string/u, WAY_OUT],
    ["org: &a x\nproject: *a", /:2: project must have a string/u, WAY_OUT],
  ])("is refused as %j", async (text, message, remedy) => {
    const error = await read(text).then(String, (thrown: UsageError) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    const { message: told, facts } = error as UsageError;
    expect(told).toMatch(message);
    expect(facts.remedy).toEqual(remedy);
    expect(JSON.stringify([told, facts])).not.toContain("hidden");
  });
});
