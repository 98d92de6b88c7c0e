import { expect, it } from "vitest";
import { placeWith } from "./notify-fixture.ts";

it("a create by command that was stopped is sent again with the same Idempotency-Key", async () => {
  const place = placeWith();
  const keys: (string | null)[] = [];
  const stop = new AbortController();
  const env = { AMP_COMMIT_HORIZON: "50ms" };
  const stopped = await place.notify("topics create alerts", {
    env,
    signal: stop.signal,
    fetch: async (request) => {
      if (request.method !== "POST") return place.sandbox.fetch(request);
      keys.push(request.headers.get("idempotency-key"));
      stop.abort("SIGTERM");
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET", syscall: "read" } });
    },
  });
  expect(stopped.code).not.toBe(0);
  const again = await place.notify("topics create alerts --json", {
    env,
    fetch: async (request) => {
      if (request.method === "POST") keys.push(request.headers.get("idempotency-key"));
      return place.sandbox.fetch(request);
    },
  });
  expect(again).toMatchObject({ code: 0 });
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/./u);
  expect(keys[1]).toBe(keys[0]);
});
