import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

let checked = false;

/**
 * Fails where the bundle of this checkout is missing or old: an old one would be tested for nothing.
 * @throws {Error} naming the source file that is newer
 */
export function requireBundle(): void {
  if (checked) return;
  const built = statSync(join(ROOT, "dist/main.js"), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) throw new Error("dist/ is missing: run npm run build first");
  const newer = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).find(
    (name) => name.endsWith(".ts") && statSync(join(ROOT, "src", name)).mtimeMs > built,
  );
  if (newer !== undefined) {
    throw new Error(`dist/ is older than src/${newer}: run npm run build first`);
  }
  checked = true;
}
