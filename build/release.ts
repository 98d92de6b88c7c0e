import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { writeAction } from "./action.ts";

// `npm run release`: everything that a release consists of, into release/: the npm archive, what
// `npm run build:standalone` has built before, a bill of materials and the hashes of all. It publishes
// nothing.
const OUT = "release";
const STANDALONE = "dist/standalone";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly "bom-ref": string;
  description?: string;
}

interface Bom {
  readonly metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

function run(program: string, ...words: readonly string[]): string {
  // On Windows npm is a script, which only a shell starts.
  const shell = process.platform === "win32" && program === "npm";
  return execFileSync(program, words, { encoding: "utf8", shell, maxBuffer: 2 ** 28 });
}

/** Of what is embedded, and of the keyring beside it: the tools of the build do not ship. */
function billOfMaterials(): Bom {
  const bom = JSON.parse(
    run("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"),
  ) as Bom;
  const licences = run(process.execPath, "bin/amp.js", "version", "--licences", "--json");
  const embedded = JSON.parse(licences) as readonly Component[];
  const { name, version, optionalDependencies } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as { name: string; version: string; optionalDependencies: Readonly<Record<string, string>> };
  const wanted = new Set([
    ...embedded.map((one) => `${one.name}@${one.version}`),
    ...Object.entries(optionalDependencies).map((pair) => pair.join("@")),
  ]);
  bom.components = bom.components.filter((one) => wanted.has(`${one.name}@${one.version}`));
  // The package names no version of the jq in it: neither does that jq.
  for (const one of bom.components.filter(({ name }) => name === "jq-web"))
    one.description = "jq as WebAssembly: a development version after jq 1.7";
  const found = new Set(bom.components.map((one) => `${one.name}@${one.version}`));
  const lost = [...wanted].filter((one) => !found.has(one));
  if (lost.length > 0) throw new Error(`package-lock.json does not have ${lost.join(", ")}`);
  // npm takes the name of the folder for that of the package.
  bom.metadata.component = { ...bom.metadata.component, name, version };
  const refs = new Set([bom.metadata.component, ...bom.components].map((one) => one["bom-ref"]));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }));
  return bom;
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
run("npm", "run", "--silent", "build");
const archive = run(
  "npm",
  "pack",
  "--silent",
  "--ignore-scripts",
  "--pack-destination",
  OUT,
).trim();
writeAction(join(OUT, archive), join(OUT, "action"));
for (const name of existsSync(STANDALONE) ? readdirSync(STANDALONE) : []) {
  // Which has the hashes of its own folder alone.
  if (name !== "SHA256SUMS") cpSync(join(STANDALONE, name), join(OUT, name), { recursive: true });
}
writeFileSync(join(OUT, "sbom.cdx.json"), `${JSON.stringify(billOfMaterials(), undefined, 2)}\n`);
const sums = readdirSync(OUT, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => {
    const hash = createHash("sha256")
      .update(readFileSync(join(OUT, name)))
      .digest("hex");
    return `${hash}  ${name}\n`;
  });
writeFileSync(join(OUT, "SHA256SUMS"), sums.join(""));
process.stdout.write(`${sums.join("")}in ${OUT}/; nothing was published\n`);
