/**
 * `npm run release`: everything that a release consists of, into release/. It signs and publishes
 * nothing. Times of files are that of the commit, so that two builds of it are equal:
 * `npm run release:compare`, for which alone `--quick` makes the npm archive and one program.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeAction } from "./action.ts";
import { billOfMaterials } from "./release/bill.ts";
import { makeDeb } from "./release/deb.ts";
import { notesOf } from "./release/notes.ts";
import { provenanceOf } from "./release/provenance.ts";
import { apkbuild, formula, type HashOf, scoopManifest } from "./release/recipes.ts";
import { forEach, hashOf, readRelease, run } from "./release/release.ts";
import { makeRpm } from "./release/rpm.ts";
import { zipOf } from "./release/zip.ts";
import { runtimeFor, TARGETS, type Target } from "./runtimes.ts";

const OUT = "release";
/** What is made on the way; it goes at the end. */
const STAGE = "release/stage";
const PROGRAMS = join(STAGE, "programs");

// Whatever it is where this runs.
process.umask(0o022);
const release = readRelease();
const TAR = `--sort=name --mtime=@${release.epoch} --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX`;
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
rmSync(OUT, { recursive: true, force: true });
mkdirSync(PROGRAMS, { recursive: true });

const archive = await step("npm archive", async () => {
  await run(["npm", "run", "--silent", "build"]);
  const words = ["--ignore-scripts", "--json", "--pack-destination", STAGE];
  const [{ filename } = { filename: "" }] = JSON.parse(await run(["npm", "pack", ...words])) as {
    filename: string;
  }[];
  // npm keeps the modes of files, which depend on who checked them out.
  const [packed, made] = [join(STAGE, filename), join(OUT, filename)];
  await run(["tar", "-xzf", packed, "-C", STAGE]);
  await run(["sh", "-c", `tar -C "$0" ${TAR} -c package | gzip -9 -n >"$1"`, STAGE, made], release);
  const action = join(STAGE, "action");
  writeAction(made, action);
  const packedAction = join(OUT, `amp-admin-action-${release.version}.tar.gz`);
  await run(["sh", "-c", `tar -C "$0" ${TAR} -c . | gzip -9 -n >"$1"`, action, packedAction]);
  return filename;
});

/** The targets whose runtime the npm registry does not give, and what it says. */
const missing = new Map<Target, string>();
const targets = await step("runtimes", async () =>
  (values.quick ? (["linux-x64"] as const) : (Object.keys(TARGETS) as Target[])).filter(
    (target) => {
      try {
        runtimeFor(target);
        return true;
      } catch (error) {
        missing.set(target, (error as Error).message);
        return false;
      }
    },
  ),
);
const fileOf = (target: Target) =>
  join(PROGRAMS, `amp-${target}${target.startsWith("windows-") ? ".exe" : ""}`);

await step("programs", () =>
  run(["npx", "bun", "build/standalone.js", "--out", PROGRAMS, "--target", targets.join(",")]),
);
if (values.quick) {
  renameSync(fileOf("linux-x64"), join(OUT, "amp-linux-x64"));
  await finish();
  process.exit();
}
const sizes = new Map(targets.map((target) => [target, statSync(fileOf(target)).size]));

await step("compressed programs", () =>
  forEach(
    targets.flatMap((target) =>
      (target.startsWith("windows-") ? ["zip"] : ["xz", "gz"]).map((form) => ({ target, form })),
    ),
    ({ target, form }) => compress(target, form),
  ),
);
copyFileSync("build/install.sh", join(OUT, "install.sh"));

await step("deb and rpm", async () => {
  const licences = await run([fileOf(`linux-${process.arch}` as Target), "version", "--licences"]);
  const folders = { stage: STAGE, out: OUT };
  const x64 = { file: fileOf("linux-x64"), licences };
  const arm64 = { file: fileOf("linux-arm64"), licences };
  const packages = [
    () => makeDeb(release, { ...x64, arch: "amd64" }, folders),
    () => makeDeb(release, { ...arm64, arch: "arm64" }, folders),
    () => makeRpm(release, { ...x64, arch: "x86_64" }, folders),
    () => makeRpm(release, { ...arm64, arch: "aarch64" }, folders),
  ];
  await forEach(packages, async (make) => void (await make()));
});

await step("recipes, bill of materials, provenance, notes", async () => {
  const hash: HashOf = (algorithm, file) =>
    createHash(algorithm)
      .update(readFileSync(join(OUT, file)))
      .digest("hex");
  const windows = { "64bit": "amp-windows-x64.zip", arm64: "amp-windows-arm64.zip" };
  const made = new Set(readdirSync(OUT));
  const zips = Object.entries(windows).filter(([, file]) => made.has(file));
  const musl = { x64: "amp-linux-x64-musl.gz", arm64: "amp-linux-arm64-musl.gz" };
  write("amp-admin.rb", formula(release, archive, hash));
  write("amp-admin.json", scoopManifest(release, Object.fromEntries(zips), hash));
  write("APKBUILD", apkbuild(release, { archive, ...musl }, hash));
  write("sbom.cdx.json", json(await billOfMaterials(release)));
  write("RELEASE-NOTES.md", notesOf(release, { files: filesWithSizes(), sizes, missing }));
  const subjects = await sums();
  const lock = await hashOf("package-lock.json");
  write("provenance.intoto.json", json(provenanceOf(release, subjects, targets, lock)));
});
await finish();

async function finish(): Promise<void> {
  rmSync(STAGE, { recursive: true });
  const lines = (await sums()).map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("");
  write("SHA256SUMS", lines);
  process.stdout.write(
    `${lines}in ${OUT}/, of ${release.commit}; nothing was signed or published\n`,
  );
}

async function compress(target: Target, form: string): Promise<void> {
  const file = fileOf(target);
  const made = join(OUT, `amp-${target}.${form}`);
  if (form === "zip") writeFileSync(made, await zipOf("amp-admin.exe", readFileSync(file)));
  // One thread: the bytes must not depend on how many there are.
  else if (form === "xz") await run(["sh", "-c", 'xz -4 -T1 -c "$0" >"$1"', file, made]);
  else await run(["sh", "-c", 'gzip -9 -n -c "$0" >"$1"', file, made]);
}

async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await work();
  process.stdout.write(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  return result;
}

function write(name: string, text: string): void {
  writeFileSync(join(OUT, name), text);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The files of the release so far, in the order of their names. */
function names(): string[] {
  const entries = readdirSync(OUT, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}

function filesWithSizes(): [string, number][] {
  return names().map((name) => [name, statSync(join(OUT, name)).size]);
}

async function sums(): Promise<{ name: string; sha256: string }[]> {
  const of = async (name: string) => ({ name, sha256: await hashOf(join(OUT, name)) });
  return Promise.all(names().map(of));
}
