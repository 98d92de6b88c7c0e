import { describe, expect, it } from "vitest";
import { resolvePending } from "../../../src/notify/state/edit.ts";
import { type SuggestedCommand, suggestedLines } from "../../../src/values/suggested-command.ts";
import type { CreateFault } from "./create-faults.ts";
import { apply, changeState, failedApply, stateOf, worldWith } from "./engine-world.ts";
import { EIGHT, EIGHT_STEPS } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { ServiceOptions } from "./simulated-service.ts";

const NTHS = Array.from({ length: EIGHT_STEPS }, (_, at) => at + 1);

/** After these nobody knows, but for the list. `true`: it was created all the same. */
const UNKNOWN: readonly (readonly [CreateFault, boolean])[] = [
  [{ do: "reset" }, false],
  [{ do: "reset", commit: 0 }, true],
  [{ do: "reset", commit: 9_000 }, true],
  [{ do: "time-out" }, false],
  [{ do: "time-out", commit: 0 }, true],
  [{ do: "time-out", commit: 80_000 }, true],
  [{ do: "status", status: 500 }, false],
  [{ do: "status", status: 500, commit: 0 }, true],
  [{ do: "status", status: 504, commit: 50_000 }, true],
  [{ do: "status", status: 302 }, false],
  [{ do: "no-id" }, true],
];

const CASES = UNKNOWN.flatMap(([fault, commits]) =>
  NTHS.map((nth) => ({ fault, nth, commits, what: JSON.stringify(fault) })),
);

describe.each([1, 4])("with lists, %i in parallel", (parallel) => {
  it.each(CASES)(
    "$what at create $nth is looked up, and sent again only if it is not there",
    async ({ fault, nth, commits }) => {
      const world = worldWith({ [nth]: fault }, { uniqueNames: false });
      const receipt = await apply(world, { parallel });
      expect(world.service.creates).toHaveLength(commits ? 8 : 9);
      expect(world.service.records.size).toBe(8);
      expect(world.service.duplicates()).toEqual([]);
      const origins = receipt.settled.map(({ outcome }) => outcome);
      expect(origins.filter((origin) => origin === "reconciled")).toHaveLength(commits ? 1 : 0);
      expect(origins.filter((origin) => origin === "created")).toHaveLength(commits ? 7 : 8);
      const [again] = receipt.settled.filter(({ outcome }) => outcome === "reconciled");
      if (commits) expect(again).toMatchObject({ requestId: `req#${nth}`, sent: true });
      expect(world.clock.alarms).toBe(0);
    },
  );
});

describe("with lists", () => {
  it("never sends again what the service said that it created, however long it is not listed", async () => {
    const world = worldWith({ 1: { do: "no-id", said: true } }, { lag: () => 10 * 60_000 });
    const { error } = await failedApply(world, { parallel: 1 });
    expect(error.exit).toBe("partial");
    await failedApply(world, { parallel: 1 });
    const named = world.service.ofKind("destination").map(({ fields }) => fields.name);
    expect(named).toEqual([...new Set(named)]);
    expect(world.service.creates.filter(({ kind }) => kind === "destination")).toHaveLength(
      world.service.ofKind("destination").length,
    );
    expect([...stateOf(world).pending].map(([, pending]) => pending.created)).toContain(true);
  });

  it("sends again with the same key", async () => {
    const world = worldWith({ 1: { do: "reset" } });
    await apply(world, { parallel: 1 });
    const [first, second, third] = world.service.creates;
    expect(second).toEqual(first);
    expect(third?.key).not.toBe(first?.key);
  });

  /** An answer, even a broken one, says that the service is not still at work for long. */
  it.each<readonly [CreateFault, number, number]>([
    [{ do: "time-out" }, 90_000, 95_000],
    [{ do: "status", status: 504 }, 60_000, 65_000],
    [{ do: "status", status: 408 }, 60_000, 65_000],
    [{ do: "status", status: 500 }, 60_000, 65_000],
    [{ do: "reset" }, 60_000, 65_000],
  ])(
    "after %j does not send before the service can have created it",
    async (fault, least, most) => {
      const world = worldWith({ 1: fault });
      const process = new SimulatedProcess(world, {}, { parallel: 1 });
      const sent: number[] = [];
      const { creates } = world.service;
      const push = creates.push.bind(creates);
      creates.push = (one) => {
        sent.push(world.clock.now().getTime());
        return push(one);
      };
      await process.engine.apply(EIGHT);
      const [first = 0, second = 0] = sent;
      expect(second - first).toBeGreaterThanOrEqual(least);
      expect(second - first).toBeLessThan(most);
      expect(process.events.filter(({ type }) => type === "waiting")).toMatchObject([
        { address: "destination/archive" },
      ]);
    },
  );

  it("judges a look by when it began: the list may be older than its answer", async () => {
    const world = worldWith({ 1: { do: "reset", commit: 11_800 } }, { uniqueNames: false });
    const { clock, service } = world;
    const api = service.api();
    const call = async (...words: Parameters<typeof api.call>) => {
      const answer = await api.call(...words);
      if (words[0].method === "GET") await clock.sleep(1_000);
      return answer;
    };
    service.api = () => ({ ...api, call: call as typeof api.call });
    // One look is under way from about 11.5 s to 12.5 s.
    await apply(world, { parallel: 1, commitHorizonMs: 12_000 });
    expect(service.creates).toHaveLength(EIGHT_STEPS);
    expect(service.duplicates()).toEqual([]);
  });

  it("does not take for new what the list showed before, and shows again", async () => {
    const world = worldWith({ 9: { do: "reset" } });
    await apply(world);
    const address = "event-route/health/connection.error";
    const old = stateOf(world).records.get(address)?.id ?? "";
    await world.clock.sleep(20_000);
    world.service.remove(old);
    // The plan knows that it is gone; the search for the new one sees the list of before.
    const lag = () => (world.service.creates.length === 9 ? 5_000 : 0);
    world.service.options = { ...world.service.options, lag };
    const { settled } = await apply(world, { recreate: true });
    const found = settled.find((one) => one.address === address);
    expect(found).toMatchObject({ outcome: "created", requestId: "req#10" });
    expect(world.service.records.has(found?.id ?? "")).toBe(true);
  });

  it("gives up what came to nothing twice, and nothing was created", async () => {
    const world = worldWith({
      1: { do: "status", status: 503 },
      2: { do: "status", status: 503 },
    });
    const { error } = await failedApply(world, { parallel: 1 });
    expect(world.service.creates).toHaveLength(2);
    expect(error.exit).toBe("service");
    expect(error.message).toBe(
      "destination/archive was not created: the service answered 503 (not listed after 60 s)",
    );
    expect(error.facts).toMatchObject({
      status: 503,
      requestId: "req#2",
      done: "Nothing was created.",
    });
    expect(stateOf(world).pending.size).toBe(0);
  });

  it("stays unknown while the list cannot be read", async () => {
    const world = worldWith({ 3: { do: "reset", commit: 0 } });
    const process = new SimulatedProcess(
      world,
      {
        atStep: () => {
          if (world.service.creates.length < 3) return;
          world.service.options = { ...world.service.options, listsFail: true };
        },
      },
      { parallel: 1 },
    );
    const error = await process.engine.apply(EIGHT).catch((thrown) => thrown);
    expect(error.exit).toBe("partial");
    expect(error.message).toMatch(/^2 of 8 in place, 1 outcome unknown: /);
    expect(error.facts.remedy).toContain("Run the command again: it looks them up first.");
    // The next run settles it: nobody has to.
    expect(error.facts.suggestion).toEqual([]);
    const waits = process.events.filter(({ type }) => type === "waiting");
    expect(waits).toMatchObject([{ why: expect.stringMatching(/^cannot be looked up: /u) }]);
    expect(world.service.creates).toHaveLength(3);
    world.service.options = { ...world.service.options, listsFail: false };
    await apply(world);
    expect(world.service.creates).toHaveLength(8);
  });

  it("leaves the choice to a person where several are new", async () => {
    const world = worldWith({ 5: { do: "reset", commit: 0 } }, { uniqueNames: false });
    const { service } = world;
    const process = new SimulatedProcess(world, {
      atStep: () => {
        if (service.records.size !== 5) return;
        const [route] = service.ofKind("event-route");
        if (route) service.add("event-route", route.fields);
      },
    });
    const error = await process.engine.apply(EIGHT).catch((thrown) => thrown);
    expect(error.exit).toBe("partial");
    const [unknown] = error.facts.data.unknown;
    expect(unknown).toMatchObject({
      address: "event-route/health/connection.error",
      ids: ["event-route-5", "event-route-6"],
    });
    expect(suggestedLines(unknown.commands)).toEqual([
      "amp notify state resolve event-route/health/connection.error --id event-route-5",
      "amp notify state resolve event-route/health/connection.error --id event-route-6",
      "amp notify state resolve event-route/health/connection.error --not-created",
    ]);
    const [event] = process.events.filter(
      (one) => one.type === "settled" && one.settled.outcome === "ambiguous",
    );
    expect(event).toMatchObject({ settled: { address: unknown.address, sent: true } });
  });
});

/** Forward and back, as a virtual machine's or a laptop's clock does. */
const JUMPS = [120_000, 7_200_000, -3_600_000];

describe.each(JUMPS)("a clock that jumps by %i ms", (jump) => {
  it.each(NTHS)("while the outcome of create %i is looked up", async (nth) => {
    for (const commit of [0, 9_000, 50_000]) {
      const world = worldWith({ [nth]: { do: "reset", commit } }, { uniqueNames: false });
      const { clock, service } = world;
      service.options = {
        ...service.options,
        lag: () => (commit === 0 ? 50_000 : 0),
        atCreate: (count) => {
          if (count === nth) void clock.sleep(2_000).then(() => clock.jump(jump));
        },
      };
      const began = clock.elapsed();
      await apply(world, { parallel: 1 });
      expect(service.creates).toHaveLength(EIGHT_STEPS);
      expect(service.duplicates()).toEqual([]);
      expect(clock.elapsed() - began).toBeLessThan(120_000);
    }
  });

  it.each(NTHS)("between a run that is killed and the next one: create %i", async (nth) => {
    for (const commit of [0, 50_000]) {
      const world = worldWith({ [nth]: { do: "time-out", commit } }, { uniqueNames: false });
      const { clock, service } = world;
      const first = new SimulatedProcess(world, {}, { parallel: 1 });
      service.options = {
        ...service.options,
        lag: () => (commit === 0 ? 50_000 : 0),
        atCreate: (count) => {
          if (count === nth) first.kill();
        },
      };
      await first.outcomeOf(first.engine.apply(EIGHT));
      clock.jump(jump);
      const began = clock.elapsed();
      await apply(world, { parallel: 1 });
      expect(service.creates).toHaveLength(EIGHT_STEPS);
      expect(service.duplicates()).toEqual([]);
      expect(clock.elapsed() - began).toBeLessThan(120_000);
    }
  });

  it.each(NTHS)(
    "between a run that was stopped with create %i unknown and the next one",
    async (nth) => {
      const world = worldWith(
        { [nth]: { do: "time-out", commit: 55_000 } },
        { uniqueNames: false },
      );
      const { clock, service } = world;
      const first = new SimulatedProcess(world, {}, { parallel: 1 });
      service.options = {
        ...service.options,
        atCreate: (count) => {
          if (count === nth) first.interrupt.abort("SIGTERM");
        },
      };
      await first.outcomeOf(first.engine.apply(EIGHT));
      clock.jump(jump);
      service.options = { ...service.options, atCreate: () => {} };
      await apply(world, { parallel: 1 });
      expect(service.creates).toHaveLength(EIGHT_STEPS);
      expect(service.duplicates()).toEqual([]);
    },
  );
});

describe("a service whose clock is known", () => {
  it("is not taken for later than it was when a create was sent: the machine slept before", async () => {
    let ahead = 0;
    const world = worldWith(
      { 1: { do: "time-out", commit: 50_000 } },
      { uniqueNames: false, dates: () => ahead },
    );
    const { clock, service } = world;
    const first = new SimulatedProcess(world, {}, { parallel: 1 });
    service.options = { ...service.options, atCreate: () => first.kill() };
    // The question stands for a night. No time passes by the clock that only goes forward.
    const sleep = async () => {
      ahead = 28_800_000;
      clock.jump(ahead);
    };
    await first.outcomeOf(first.engine.apply(EIGHT, sleep));
    service.options = { ...service.options, atCreate: () => {} };
    await apply(world, { parallel: 1 });
    expect(service.creates).toHaveLength(EIGHT_STEPS);
    expect(service.duplicates()).toEqual([]);
  });

  it.each<readonly [string, CreateFault["do"], (process: SimulatedProcess) => void]>([
    ["stopped", "reset", ({ interrupt }) => interrupt.abort("SIGTERM")],
    ["killed", "time-out", (process) => process.kill()],
  ])("may jump between a run that is %s and the next one", async (_, fault, end) => {
    for (const nth of NTHS) {
      let ahead = 0;
      const world = worldWith(
        { [nth]: { do: fault, commit: 0 } as CreateFault },
        { uniqueNames: false, dates: () => ahead, lag: () => 50_000 },
      );
      const { service } = world;
      const first = new SimulatedProcess(world, {}, { parallel: 1 });
      service.options = {
        ...service.options,
        atCreate: (count) => {
          if (count === nth) end(first);
        },
      };
      await first.outcomeOf(first.engine.apply(EIGHT));
      // Another server of it answers. Nor may what was created before count as deleted.
      ahead = 300_000;
      service.options = { ...service.options, atCreate: () => {} };
      await apply(world, { parallel: 1 });
      expect(service.creates).toHaveLength(EIGHT_STEPS);
      expect(service.duplicates()).toEqual([]);
    }
  });

  it("saves an intent again that had to wait for other creates", async () => {
    const wait: CreateFault = { do: "ask-to-wait", status: 429, seconds: 55 };
    const world = worldWith({ 5: wait, 6: wait });
    const { clock, service } = world;
    const process = new SimulatedProcess(world, {}, { parallel: 2 });
    const left: number[] = [];
    service.options = {
      ...service.options,
      atCreate: (nth) => {
        const { key } = service.creates[nth - 1] ?? {};
        const own = [...stateOf(world).pending.values()].find((one) => one.key === key);
        left.push(Date.parse(own?.serviceTime ?? "") - clock.elapsed());
      },
    };
    await process.engine.apply(EIGHT);
    expect(left).toHaveLength(EIGHT_STEPS + 2);
    // The client may wait for 60 s before it sends, and then for an answer for 30 s.
    expect(Math.min(...left)).toBeGreaterThanOrEqual(90_000);
  });
});

describe.each([1_000, 20_000, 59_000])("lists that are %i ms behind", (lag) => {
  it.each<CreateFault>([
    { do: "reset", commit: 0 },
    { do: "status", status: 500, commit: 0 },
    { do: "time-out", commit: 0 },
  ])("show a create after %j in time", async (fault) => {
    for (const nth of NTHS) {
      const world = worldWith({ [nth]: fault }, { uniqueNames: false, lag: () => lag });
      await apply(world);
      expect(world.service.creates).toHaveLength(EIGHT_STEPS);
      expect(world.service.duplicates()).toEqual([]);
    }
  });
});

describe("a list that does not tell all of a record", () => {
  const ODD: readonly (readonly [string, Partial<ServiceOptions>])[] = [
    ["leaves out the topic", { asListed: ({ topicId: _, ...fields }) => fields }],
    ["has null for the topic", { asListed: (fields) => ({ ...fields, topicId: null }) }],
    ...[" ", ""].flatMap((blank) =>
      (["name", "eventType"] as const).map((field): [string, Partial<ServiceOptions>] => [
        `spells the ${field} in upper case${blank && ", with blanks"}`,
        {
          asListed: (fields) =>
            field in fields
              ? { ...fields, [field]: `${blank}${String(fields[field]).toUpperCase()}${blank}` }
              : fields,
        },
      ]),
    ),
    [
      "spells IDs in upper case",
      {
        asListed: ({ topicId, ...fields }) => ({
          ...fields,
          ...(topicId === undefined ? {} : { topicId: String(topicId).toUpperCase() }),
        }),
      },
    ],
  ];

  it.each(ODD)("%s: run again and again, it makes nothing anew", async (_, options) => {
    const world = worldWith({}, { uniqueNames: false, ...options });
    for (let run = 0; run < 3; run++) {
      const { settled } = await apply(world);
      expect(settled).toHaveLength(8);
    }
    expect(world.service.creates).toHaveLength(8);
    expect(world.service.duplicates()).toEqual([]);
  });

  it.each(ODD)(
    "%s: a create of unknown outcome is found, and not sent again",
    async (_, options) => {
      for (const nth of NTHS) {
        const world = worldWith(
          { [nth]: { do: "reset", commit: 0 } },
          { uniqueNames: false, ...options },
        );
        await apply(world, { parallel: 1 });
        expect(world.service.creates).toHaveLength(8);
        expect(world.service.duplicates()).toEqual([]);
      }
    },
  );
});

describe("without lists", () => {
  it.each(CASES)(
    "$what at create $nth stops the run, with the commands that resolve it",
    async ({ fault, nth, commits }) => {
      const world = worldWith({ [nth]: fault }, { lists: false, uniqueNames: false });
      const { error } = await failedApply(world);
      expect(error.exit).toBe("partial");
      expect(error.message).toMatch(new RegExp(`^${nth - 1} of 8 in place, 1 outcome unknown: `));
      expect(world.service.creates).toHaveLength(nth);
      const { unknown, notTried, settled, failed } = error.facts.data as {
        unknown: {
          address: string;
          commands: SuggestedCommand[];
          requestId: string;
          horizon: string;
        }[];
        notTried: string[];
        settled: object[];
        failed: object[];
      };
      expect(settled).toHaveLength(nth - 1);
      expect(failed).toEqual([]);
      expect(notTried).toHaveLength(8 - nth);
      expect(unknown).toHaveLength(1);
      const [{ address = "", requestId, commands, horizon } = {}] = unknown;
      expect(requestId).toBe(`req#${nth}`);
      const lines = [
        `amp notify state resolve ${address} --id <id>`,
        `amp notify state resolve ${address} --not-created`,
      ];
      expect(suggestedLines(commands)).toEqual(lines);
      expect(suggestedLines(error.facts.suggestion)).toEqual(expect.arrayContaining(lines));
      expect(error.facts.remedy).toMatch(
        /^After (?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC \(in [\d.]+ s\), check at the service/u,
      );
      expect(stateOf(world).pending.get(address as `topic/${string}`)).toMatchObject({
        phase: "unknown",
        horizon,
        requestId,
      });

      // Before anybody has looked, nothing is sent, however often it is run.
      const again = await failedApply(world);
      expect(again.error.exit).toBe("partial");
      expect(world.service.creates).toHaveLength(nth);

      await world.clock.sleep(90_000);
      const made = [...world.service.records.keys()].find(
        (id) => ![...stateOf(world).records.values()].some((record) => record.id === id),
      );
      expect(made !== undefined).toBe(commits);
      changeState(world, (state) =>
        resolvePending(state, address, made ? { id: made } : "not-created", world.clock.now()),
      );
      await apply(world);
      expect(world.service.records.size).toBe(8);
      expect(world.service.duplicates()).toEqual([]);
    },
  );
});

describe.each(JUMPS)("without lists and with a clock that jumps by %i ms", (jump) => {
  it("the next run says how long the service may still create it", async () => {
    const world = worldWith({ 3: { do: "reset" } }, { lists: false });
    const first = await failedApply(world);
    await world.clock.sleep(20_000);
    world.clock.jump(jump);
    const { error } = await failedApply(world);
    expect(first.error.facts.remedy).toContain("(in 60 s), check at the service");
    // A clock that was set back makes it the whole time again, and never more.
    const left = jump < 0 ? /\(in 60 s\), check at/u : /\(in (?:39|4\d)(?:\.\d)? s\), check at/u;
    expect(error.facts.remedy).toMatch(left);
  });
});

describe("an odd answer that holds an id", () => {
  it.each(NTHS)("at create %i is as good as any", async (nth) => {
    const world = worldWith({ [nth]: { do: "odd" } }, { lists: false });
    const receipt = await apply(world);
    expect(receipt.settled.every(({ outcome }) => outcome === "created")).toBe(true);
    expect(world.service.creates).toHaveLength(8);
  });
});
