import { expect, it } from "vitest";
import { attemptsOf, delivering, receiving, route, trigger, webhook } from "./wiring.ts";

/** npm run bench:deliveries has 10,000,and looks at the memory. */
const EVENTS = 200;

it("delivers many events at least once to each destination, and none elsewhere", async () => {
  const sandbox = delivering();
  // Every third message is refused by one of them.
  const receivers = [
    await receiving(),
    await receiving((number) => (number % 3 === 0 ? 500 : 204)),
    await receiving(),
    await receiving(),
  ];
  const ids = [];
  for (const [at, { url }] of receivers.entries()) {
    ids.push(await webhook(sandbox, `hook-${at}`, url));
  }
  await route(sandbox, "errors", ["connection.error"], ids.slice(0, 3));
  await route(sandbox, "others", ["connection.created"], ids.slice(3));
  await Promise.all(
    Array.from({ length: EVENTS }, (_, number) =>
      trigger(sandbox, "connection.error", { data: { number } }),
    ),
  );
  await sandbox.events.settled();
  const numbers = receivers.map(({ got }) => got.map(({ body }) => JSON.parse(body).data.number));
  const counts = numbers.map((each) => [each.length, new Set(each).size]);
  const [, [refusing = 0] = []] = counts;
  expect(counts).toEqual([
    [EVENTS, EVENTS],
    [refusing, EVENTS],
    [EVENTS, EVENTS],
    [0, 0],
  ]);
  // A third of the attempts failed, so there were half as many more.
  expect(refusing).toBe(EVENTS + Math.floor((EVENTS - 1) / 2));
  const attempts = await attemptsOf(sandbox);
  expect(attempts.filter(({ outcome }) => outcome === "delivered")).toHaveLength(3 * EVENTS);
});
