/**
 * A process that takes a lock again and again, and counts in a file that only the lock protects.
 * Started by lock.test.ts: `contender.ts PATH TIMES [die]`; `die` ends it with the lock held.
 */
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { withLock } from "../../src/durable/lock.ts";

const [, , path = "", times = "1", end] = process.argv;

for (let left = Number(times); left > 0; left -= 1) {
  await withLock(path, { wait: 60_000, command: "contender" }, async () => {
    // Fails where somebody else is inside.
    await mkdir(`${path}.inside`);
    const count = Number(await readFile(path, "utf8"));
    await turn();
    await writeFile(path, `${count + 1}`);
    await rmdir(`${path}.inside`);
    if (end === "die") process.kill(process.pid, "SIGKILL");
  });
}
