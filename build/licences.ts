import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Licence } from "../src/runtime/licences.ts";

/**
 * The licences of the packages that really are in a build, by name.
 * @param files that something of was built in
 * @throws {Error} where a package brings no licence along: it may not be embedded
 */
export function licencesOf(files: readonly string[]): Licence[] {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(file)?.[0] ?? []),
  );
  return [...folders].map(licenceIn).sort((one, other) => compare(named(one), named(other)));
}

/** What `stamp.ts` embeds as a text: no module says so. */
export const AS_TEXT = "node_modules/jq-web/jq.js";

const named = ({ name, version }: Licence) => `${name}@${version}`;
const compare = (one: string, other: string) => (one < other ? -1 : 1);

interface Package {
  readonly name: string;
  readonly version: string;
  /** SPDX; something else in packages of long ago. */
  readonly license?: unknown;
}

/** The licences that a package names, and whose text its archive leaves out. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ["standardwebhooks", join(import.meta.dirname, "standardwebhooks-licence.md")],
]);

function licenceIn(folder: string): Licence {
  const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
  const { name, version, license } = own;
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file))
    .map((file) => join(folder, file));
  const known = LEFT_OUT.get(name);
  if (texts.length === 0 && known !== undefined) texts.push(known);
  if (texts.length === 0 || typeof license !== "string") {
    throw new Error(`${folder} names no licence, or has no text of it`);
  }
  const text = texts.map((file) => readFileSync(file, "utf8").trim()).join("\n\n");
  return { name, version, licence: license, text };
}
