import { expect, it } from "vitest";
import { listen } from "../../../src/events/listen/listen.ts";
import { changedData } from "../../../src/events/trigger.ts";
import { NOW } from "../../harness.ts";

it("a listener ends when its temporary routing has expired", async () => {
  const context = {
    report: { warn: () => {} },
    now: () => NOW,
    signal: new AbortController().signal,
    environment: { cwd: "/" },
    protect: (work: Promise<unknown>) => work,
  };
  const { error } = await listen(
    context as unknown as Parameters<typeof listen>[0],
    { host: "127.0.0.1", port: 0, events: [], filters: [], expect: 1 } as never,
    {
      open: async () => ({ secrets: [], hosts: [], expires: NOW }),
      onMessage: async () => {},
      isClosed: () => false,
    },
  );
  expect(error).toMatchObject({
    kind: "listen_routing_expired",
    facts: { detail: "0 of 1 expected messages arrived." },
  });
});

it("a payload that is nested too deeply is refused", async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`);
  const options = { given: deep, set: [], unset: [], edit: false, allow: [] };
  const changed = changedData({} as never, options as never, async () => ({}));
  await expect(changed).rejects.toMatchObject({ kind: "payload_too_deep" });
});
