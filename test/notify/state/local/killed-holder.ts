/**
 * A process that takes the lock of a state file, saves, and is killed with it: `killed-holder.ts
 * PATH TEXT`. Started by local.test.ts.
 */
import { localBackend } from "../../../../src/notify/state/local/local-backend.ts";

const [, , path = "", text = ""] = process.argv;
const request = { command: "doomed", wait: 60_000, signal: new AbortController().signal };

await localBackend(path).withLock(request, async (held) => {
  await held.write(text, "intent");
  process.kill(process.pid, "SIGKILL");
});
