import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lastRelease, thisRelease } from "../contract/release.ts";
import { changesOf, type Release, surfaceOf, unsaid } from "../contract/surface.ts";

const CHANGELOG = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const now = await thisRelease();

it("changes only as CHANGELOG.md says, since the last release", () => {
  const changes = changesOf(surfaceOf(lastRelease()), surfaceOf(now));
  const why =
    "Add an entry to the newest section of CHANGELOG.md that has the command and the name; what is breaking goes below its heading ### Breaking. `npm run contract` lists all changes.";
  expect(unsaid(changes, CHANGELOG), why).toEqual([]);
});

/** Changes a copy of the surface; what the change must be found as. */
type Planted = readonly [found: string, change: (copy: Plantable) => void];
// biome-ignore lint/suspicious/noExplicitAny: whatever a later version may be
type Plantable = { commands: any[]; schema: { $defs: Record<string, any> } };

const planted: readonly Planted[] = [
  ["breaking: amp invites revoke was removed", (copy) => drop(copy, "amp invites revoke")],
  ["breaking: amp trust was removed", (copy) => rename(copy, "amp trust", "amp believe")],
  ["additive: amp believe was added", (copy) => rename(copy, "amp trust", "amp believe")],
  [
    "breaking: amp version --licences was removed",
    (copy) => (at(copy, "amp version").options = []),
  ],
  ["breaking: amp listen --port: value is now flag", (copy) => option(copy, { takesValue: false })],
  ["additive: amp listen --port: value is now values", (copy) => option(copy, { repeats: true })],
  ["breaking: amp listen --port is now required", (copy) => option(copy, { mandatory: true })],
  ["additive: amp listen --new was added", (copy) => add(copy, false)],
  ["breaking: amp listen --new was added, and is required", (copy) => add(copy, true)],
  [
    "breaking: amp notify check --rule forbidden-route was removed",
    (copy) => choices(copy).splice(1, 1),
  ],
  [
    "additive: amp notify check --rule no-loops was added",
    (copy) => choices(copy).push("no-loops"),
  ],
  [
    "breaking: amp notify check exit code 8 was removed",
    (copy) => at(copy, "amp notify check").exitCodes.pop(),
  ],
  [
    "breaking: amp notify check -f was removed",
    (copy) => delete named(copy, "amp notify check", "--file").short,
  ],
  ["breaking: amp AMP_PROJECT was removed", (copy) => delete named(copy, "amp", "--project").env],
  [
    "breaking: amp listen --project was removed",
    (copy) => at(copy, "amp listen").globalOptions.shift(),
  ],
  [
    "breaking: amp version JSON field arch was removed",
    (copy) => at(copy, "amp version").fields.splice(3, 1),
  ],
  [
    "breaking: JSON version.arch was removed",
    ({ schema }) => delete schema.$defs.version.properties.arch,
  ],
  [
    "additive: JSON version.libc was added",
    ({ schema }) => (schema.$defs.version.properties.libc = { type: "string" }),
  ],
  [
    "breaking: JSON version.runtime.name: string is now integer",
    ({ schema }) => (schema.$defs.version.properties.runtime.properties.name.type = "integer"),
  ],
  [
    "breaking: JSON version.arch is no longer always there",
    ({ schema }) => schema.$defs.version.required.splice(3, 1),
  ],
  [
    "additive: JSON version.commit is now always there",
    ({ schema }) => schema.$defs.version.required.push("commit"),
  ],
  ["breaking: JSON error.error.code auth was removed", ({ schema }) => codes(schema).splice(4, 1)],
  ["additive: JSON error.error.code busy was added", ({ schema }) => codes(schema).push("busy")],
  ["breaking: JSON renamed was removed", ({ schema }) => delete schema.$defs.renamed],
];

function at({ commands }: Plantable, command: string) {
  return commands.find((one) => one.command === command);
}
const named = (copy: Plantable, command: string, name: string) =>
  at(copy, command).options.find((one: { name: string }) => one.name === name);
const choices = (copy: Plantable) => named(copy, "amp notify check", "--rule").choices;
const option = (copy: Plantable, change: object) =>
  Object.assign(named(copy, "amp listen", "--port"), change);
const add = (copy: Plantable, mandatory: boolean) =>
  at(copy, "amp listen").options.push({ name: "--new", takesValue: true, mandatory });
const codes = ({ $defs }: Plantable["schema"]) => $defs.error.properties.error.properties.code.enum;
function drop(copy: Plantable, command: string) {
  copy.commands = copy.commands.filter((one) => one.command !== command);
}
function rename(copy: Plantable, from: string, to: string) {
  at(copy, from).command = to;
}

describe("a planted change", () => {
  it.each(planted)("%s", (found, change) => {
    const copy = structuredClone(now) as unknown as Plantable;
    change(copy);
    const changes = changesOf(surfaceOf(now), surfaceOf(copy as unknown as Release));
    const texts = changes.map(({ text, breaks }) => `${breaks ? "breaking" : "additive"}: ${text}`);
    expect(texts).toContain(found);
    expect(texts.length).toBeLessThan(4);
    // It fails until the newest section has it, at its place.
    expect(unsaid(changes, "## 0.2.0\n- other\n## 0.1.0\n- all").sort()).toEqual(texts.sort());
    const entries = changes.map(({ words }) => `- \`${words.join("` in\n  `")}\`\n`).join("");
    expect(unsaid(changes, `## 0.2.0\n### Breaking\n${entries}\n## 0.1.0\n`)).toEqual([]);
    const broken = changes.filter(({ breaks }) => breaks).length;
    expect(unsaid(changes, `## 0.2.0\n### Added\n${entries}`)).toHaveLength(broken);
  });

  it("is none where only words changed", () => {
    const copy = structuredClone(now) as unknown as Plantable;
    for (const one of copy.commands) Object.assign(one, { summary: "x", examples: [] });
    copy.commands.reverse();
    expect(changesOf(surfaceOf(now), surfaceOf(copy as unknown as Release))).toEqual([]);
  });
});
