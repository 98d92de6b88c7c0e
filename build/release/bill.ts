import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Release, run } from "./release.ts";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly "bom-ref": string;
  description?: string;
}

interface Bom {
  serialNumber: string;
  readonly metadata: { component: Component; timestamp: string };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** Of what is embedded, of Bun, and of the keyring beside it: the tools of the build do not ship. */
export async function billOfMaterials({ name, version, epoch }: Release): Promise<Bom> {
  const bom = JSON.parse(
    await run(["npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]),
  ) as Bom;
  const licences = await run([process.execPath, "bin/amp.js", "version", "--licences", "--json"]);
  const embedded = JSON.parse(licences) as readonly Component[];
  const { devDependencies, optionalDependencies } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as Record<"devDependencies" | "optionalDependencies", Readonly<Record<string, string>>>;
  const wanted = new Set([
    ...embedded.map((one) => `${one.name}@${one.version}`),
    ...Object.entries(optionalDependencies).map((pair) => pair.join("@")),
    `bun@${devDependencies.bun}`,
  ]);
  bom.components = bom.components.filter((one) => wanted.has(`${one.name}@${one.version}`));
  // The package names no version of the jq in it: neither does that jq.
  for (const one of bom.components.filter(({ name }) => name === "jq-web"))
    one.description = "jq as WebAssembly: a development version after jq 1.7";
  const found = new Set(bom.components.map((one) => `${one.name}@${one.version}`));
  const lost = [...wanted].filter((one) => !found.has(one));
  if (lost.length > 0) throw new Error(`package-lock.json does not have ${lost.join(", ")}`);
  // npm takes the name of the folder for that of the package, the time of now and a random number.
  bom.metadata.component = {
    ...bom.metadata.component,
    name,
    version,
    "bom-ref": `${name}@${version}`,
  };
  bom.metadata.timestamp = new Date(epoch * 1000).toISOString();
  const refs = new Set([bom.metadata.component, ...bom.components].map((one) => one["bom-ref"]));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }));
  bom.serialNumber = "";
  bom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom))}`;
  return bom;
}

/** A UUID of the form 8, of what it is for. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
