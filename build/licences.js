import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The licences of the packages that really are in a build, by name.
 * @param {{outputs: Record<string, {inputs: Record<string, {bytesInOutput: number}>}>}} metafile of
 *   esbuild or of Bun
 * @throws {Error} where a package brings no licence along: it may not be embedded
 */
export function licencesOf(metafile) {
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(file)?.[0] ?? []),
  );
  return [...folders].map(licenceIn).sort((one, other) => (one.name < other.name ? -1 : 1));
}

function licenceIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file));
  if (texts.length === 0 || typeof license !== "string") {
    throw new Error(`${folder} names no licence, or has no text of it`);
  }
  const text = texts.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return { name, version, licence: license, text };
}
