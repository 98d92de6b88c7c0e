import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { generatedFiles } from "./generated.ts";

// `npm run generate`: writes what follows from the command tree.
for (const [path, content] of Object.entries(await generatedFiles())) {
  const target = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  process.stdout.write(`${path}: ${content.length} characters\n`);
}
