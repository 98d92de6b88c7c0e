import { CHECK_NAMES } from "../../../src/events/webhooks/checks.ts";
import { testReceiver } from "../../../src/events/webhooks/test-receiver.ts";
import { SECRET } from "./receivers.ts";

/** Tests a receiver without pauses. The log has the status of each message. */
export async function examine(
  url: URL,
  {
    limitMs = 2000,
    checks = CHECK_NAMES,
  }: { limitMs?: number | undefined; checks?: readonly string[] } = {},
) {
  const log: string[] = [];
  const result = await testReceiver({
    receiver: { url, headers: {}, insecureTls: false, limitMs },
    checks,
    events: [],
    seed: "7f3a",
    secret: SECRET,
    now: () => new Date(),
    signal: new AbortController().signal,
    wait: async () => {},
    onAnswer: ({ message, status }) => log.push(`${message.id} ${status}`),
  });
  return { result, log };
}
