import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../built.ts";
import { commandEntries } from "../command-tree.ts";
import type { Release } from "./surface.ts";

export const COMMANDS = join(ROOT, "test/contract/commands.json");
export const SCHEMA = join(ROOT, "test/contract/json.schema.json");

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** The surface of the last release, as it was accepted. */
export function lastRelease(): Release {
  return { ...json(COMMANDS), schema: json(SCHEMA) };
}

/** The surface of this checkout. */
export async function thisRelease(): Promise<Release> {
  const { version } = json(join(ROOT, "package.json"));
  const schema = json(join(ROOT, "docs/json.schema.json"));
  return { version, commands: await commandEntries(), schema };
}
