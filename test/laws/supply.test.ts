import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";

type Versions = Readonly<Record<string, string>>;

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
const manifest = JSON.parse(text("package.json")) as Omit<Locked, "version"> & {
  readonly scripts: Versions;
};
const lock = JSON.parse(text("package-lock.json")) as {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Locked>>;
};
const direct: Versions = { ...manifest.devDependencies, ...manifest.optionalDependencies };
const locked = Object.entries(lock.packages).filter(([path]) => path !== "");

describe("package.json", () => {
  it("has nothing to be installed at run time, and runs nothing on a user's machine", () => {
    expect(manifest.dependencies).toBeUndefined();
    // `prepare` runs in a checkout alone, never where the package is installed.
    expect(Object.keys(manifest.scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:pre|post)?install$/u)]),
    );
  });

  it("pins every version", () => {
    expect(Object.values(direct).filter((version) => !/^\d+\.\d+\.\d+$/u.test(version))).toEqual(
      [],
    );
  });
});

it("names the engine of --jq in SECURITY.md, with its version", () => {
  expect(text("SECURITY.md")).toContain(`jq-web ${direct["jq-web"]}`);
});

describe("package-lock.json", () => {
  it("is of the form 3, and in step with package.json", () => {
    expect(lock.lockfileVersion).toBe(3);
    const { devDependencies, optionalDependencies } = lock.packages[""] ?? {};
    expect({ devDependencies, optionalDependencies }).toEqual({
      devDependencies: manifest.devDependencies,
      optionalDependencies: manifest.optionalDependencies,
    });
    for (const [name, version] of Object.entries(direct)) {
      expect(lock.packages[`node_modules/${name}`]?.version).toBe(version);
    }
  });

  it("has a hash for every package, and no host: npm takes them from the registry it is set up with", () => {
    const site = JSON.parse(text("site/package-lock.json")) as typeof lock;
    const odd = [...locked, ...Object.entries(site.packages).slice(1)].filter(
      ([, { integrity = "", resolved, link }]) =>
        !/^sha512-[\w+/]{86}==$/u.test(integrity) || resolved !== undefined || link === true,
    );
    expect(odd.map(([path]) => path)).toEqual([]);
  });

  it("installs nothing from git, a folder or a URL", () => {
    const asked = [direct, ...locked.map(([, one]) => ({ ...one.dependencies }))].flatMap(
      Object.entries,
    );
    expect(asked.length).toBeGreaterThan(100);
    const odd = asked.filter(([, wanted]) => /^(?:git|https?|file|link|github)|\//u.test(wanted));
    expect(odd).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  const chapter = text("CONTRIBUTING.md").split("## Dependencies")[1] ?? "";
  const rows = [...chapter.matchAll(/^\| (?<names>[^|]+) \| (?<why>[^|]+) \|$/gmu)].filter(
    ([, names]) => names !== "package" && names !== "---",
  );
  const justified = rows.flatMap(([, names = ""]) => names.trim().split(", "));

  it("says of every package why it is there, and of no other", () => {
    expect(justified.toSorted()).toEqual(Object.keys(direct).toSorted());
    for (const [, names, why = ""] of rows)
      expect([names, why.trim().length > 3]).toEqual([names, true]);
  });

  it("names files that exist", () => {
    const files = ["bin", "build", "src", "test"].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) =>
        [folder, ...path.split(sep)].join("/"),
      ),
    );
    const named = [...text("CONTRIBUTING.md").matchAll(/`([a-z][a-z\d/-]*\.[jt]s)`/gu)];
    expect(named.length).toBeGreaterThan(40);
    const missing = named.flatMap(([, path = ""]) =>
      files.some((one) => one === path || one.endsWith(`/${path}`)) ? [] : [path],
    );
    expect(missing).toEqual([]);
  });
});
