import type { Polling } from "../src/api/operations/poll.ts";

/** What a poll needs of a command: a service that answers so, and the texts that are said. */
export function polling(
  call: (endpoint: never, input: never) => Promise<unknown>,
  told: string[] = [],
  signal = new AbortController().signal,
): Polling & { readonly project: string } {
  const say = (text: string) => void told.push(text);
  return {
    api: { call } as never,
    project: "acme",
    environment: { env: {} },
    report: { notice: say, warn: say, working: () => () => {} },
    signal,
    now: () => new Date("2026-09-02T08:30:00Z"),
  };
}
