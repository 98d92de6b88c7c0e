import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../built.ts";
import { COMMANDS, lastRelease, SCHEMA, thisRelease } from "./release.ts";
import { changesOf, surfaceOf } from "./surface.ts";

// `npm run contract`: what differs from the last release. With --accept, at a release, the surface
// of this version becomes the one to compare with.
const now = await thisRelease();
const last = existsSync(COMMANDS) ? lastRelease() : undefined;
for (const { text, breaks } of last ? changesOf(surfaceOf(last), surfaceOf(now)) : [])
  process.stdout.write(`${breaks ? "breaking" : "additive"}: ${text}\n`);
if (process.argv.includes("--accept")) {
  if (last?.version === now.version) {
    process.stderr.write(`${now.version} is accepted already: a new version makes a release.\n`);
    process.exitCode = 1;
  } else {
    const lines = now.commands.map((entry) => JSON.stringify(entry)).join(",\n");
    writeFileSync(COMMANDS, `{"version": "${now.version}", "commands": [\n${lines}\n]}\n`);
    copyFileSync(join(ROOT, "docs/json.schema.json"), SCHEMA);
  }
}
