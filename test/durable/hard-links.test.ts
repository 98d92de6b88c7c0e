import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { withLock } from "../../src/durable/lock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

vi.mock(import("node:fs/promises"), async (original) => ({
  ...(await original()),
  link: () => Promise.reject(Object.assign(new Error(), { code: "EPERM", syscall: "link" })),
}));

it("a file system without hard links holds no lock", async () => {
  const path = join(temporaryFolder(), "state.json");
  await expect(withLock(path, {}, async () => {})).rejects.toMatchObject({
    kind: "lock_place_without_links",
    facts: { detail: "The file system does not support hard links." },
  });
});
