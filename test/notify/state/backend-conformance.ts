import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AmpError,
  ConflictError,
  InterruptedError,
  NotFoundError,
  TerminatedError,
} from "../../../src/errors.ts";
import type {
  LockedState,
  LockHolder,
  LockRequest,
  StateBackend,
} from "../../../src/notify/state/backend.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { thrownBy } from "./state-fixture.ts";

/** A kind of place under test. */
export interface BackendFixture {
  /** One more run's view of the same place. */
  open(): Promise<StateBackend>;
  close(): Promise<void>;
  /** It tells of a lock which command holds it; by default it does. */
  readonly tellsCommand?: boolean;
}

/** A lock request that waits not at all, unless it is told otherwise. */
export function lockRequest(request: Partial<LockRequest> = {}): LockRequest {
  return { command: "amp notify apply", wait: 0, signal: new AbortController().signal, ...request };
}

/** Takes the lock and keeps it until `free` is called. */
export async function holdLock(backend: StateBackend, request: Partial<LockRequest> = {}) {
  const inside = Promise.withResolvers<LockedState>();
  const end = Promise.withResolvers<void>();
  const done = backend.withLock(lockRequest(request), async (held) => {
    inside.resolve(held);
    await end.promise;
  });
  done.catch(inside.reject);
  const held = await inside.promise;
  return {
    held,
    free: async () => {
      end.resolve();
      await done;
    },
  };
}

/** Of an error about a lock. */
export function holderIn({ facts }: AmpError): LockHolder {
  return (facts.data?.holder ?? {}) as LockHolder;
}

/** The id of the lock that is there. */
export async function lockId(backend: StateBackend): Promise<string> {
  const error = await thrownBy(backend.withLock(lockRequest(), async () => {}));
  return holderIn(error).id ?? "";
}

/** What every place must do. */
export function testBackend(name: string, makeRig: () => Promise<BackendFixture>): void {
  describe(name, () => {
    let rig: BackendFixture;
    let one: StateBackend;
    let other: StateBackend;

    beforeEach(async () => {
      rig = await makeRig();
      one = await rig.open();
      other = await rig.open();
    });
    afterEach(() => rig.close());

    const save = (backend: StateBackend, text: string) =>
      backend.withLock(lockRequest(), (held) => held.write(text, "intent"));

    it("says once who has the lock when it begins to wait, and nothing without a wait", async () => {
      const { free } = await holdLock(one);
      const seen: LockHolder[] = [];
      const begun = Promise.withResolvers<void>();
      const onWait = (holder: LockHolder) => {
        seen.push(holder);
        begun.resolve();
      };
      await thrownBy(other.withLock(lockRequest({ onWait }), async () => {}));
      expect(seen).toEqual([]);
      const waiting = other.withLock(lockRequest({ onWait, wait: 20_000 }), async () => 1);
      await begun.promise;
      await free();
      expect(await waiting).toBe(1);
      expect(seen).toMatchObject([{ id: expect.any(String) }]);
    });

    it("is empty at first", async () => {
      expect(await one.read()).toBeUndefined();
      await one.withLock(lockRequest(), async (held) => {
        expect(await held.read()).toBeUndefined();
      });
    });

    it("returns the last saved text to every reader", async () => {
      await one.withLock(lockRequest(), async (held) => {
        await held.write('{"serial":1}', "intent");
        expect(await other.read()).toBe('{"serial":1}');
        await held.write('{"serial":2}', "result");
        expect(await held.read()).toBe('{"serial":2}');
      });
      expect(await other.read()).toBe('{"serial":2}');
      await other.withLock(lockRequest(), async (held) => {
        expect(await held.read()).toBe('{"serial":2}');
        await held.write('{"serial":3}', "result");
      });
      expect(await one.read()).toBe('{"serial":3}');
    });

    it("saves without a read before", async () => {
      await save(one, '{"serial":1}');
      await save(other, '{"serial":2}');
      expect(await one.read()).toBe('{"serial":2}');
    });

    it("keeps more than a megabyte, and every character", async () => {
      const text = JSON.stringify({
        serial: 1,
        names: "grüße 👩‍👩‍👧 \u2028 \u0000 ".repeat(60_000),
      });
      expect(text.length).toBeGreaterThan(2 ** 20);
      await save(one, text);
      expect(await other.read()).toBe(text);
    });

    it("returns the result of the work or its error, and releases the lock after either", async () => {
      expect(await one.withLock(lockRequest(), async () => 7)).toBe(7);
      const failing = one.withLock(lockRequest(), () =>
        Promise.reject(new Error("the work failed")),
      );
      await expect(failing).rejects.toThrow("the work failed");
      expect(await other.withLock(lockRequest(), async () => 8)).toBe(8);
    });

    it("refuses a second holder, and names the first", async () => {
      const { free } = await holdLock(one, {
        command: "amp notify apply -f first.yaml",
        job: "https://ci.test/jobs/7",
      });
      const error = await thrownBy(
        other.withLock(lockRequest({ command: "second" }), async () => {}),
      );
      expect(error).toBeInstanceOf(ConflictError);
      const holder = holderIn(error);
      const command = "amp notify apply -f first.yaml";
      expect(holder).toEqual({
        id: expect.stringMatching(/^[\da-f-]{36}$/u),
        ...(rig.tellsCommand === false ? {} : { command }),
        who: expect.stringContaining(`https://ci.test/jobs/7, process ${process.pid}`),
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u),
      });
      expect(error.message).toBe(`${other.location} is locked by another run`);
      expect(error.facts.detail).toContain(holder.command ?? holder.who);
      // A process of this machine is known to go on: its lock is not to be removed.
      const isKnown = other.local && process.platform === "linux";
      expect(suggestedLines(error.facts.suggestion).join("\n")).toBe(
        isKnown ? "" : `amp notify state unlock ${holder.id}`,
      );
      await free();
      await expect(other.withLock(lockRequest(), async () => 1)).resolves.toBe(1);
    });

    it("can be read while another run holds the lock", async () => {
      await save(one, '{"serial":1}');
      const { free } = await holdLock(one);
      expect(await other.read()).toBe('{"serial":1}');
      await free();
    });

    it("waits for the lock if asked to", async () => {
      const { free } = await holdLock(one);
      const order: string[] = [];
      const waiting = other.withLock(lockRequest({ wait: 60_000 }), async () =>
        order.push("second"),
      );
      await turn();
      order.push("first");
      await free();
      await waiting;
      expect(order).toEqual(["first", "second"]);
    });

    it.each([
      ["SIGINT", InterruptedError],
      ["SIGTERM", TerminatedError],
    ])("ends the wait at a %s", async (signal, kind) => {
      const { free } = await holdLock(one);
      const controller = new AbortController();
      const waiting = thrownBy(
        other.withLock(lockRequest({ wait: 60_000, signal: controller.signal }), async () => {}),
      );
      await turn();
      controller.abort(signal);
      expect(await waiting).toBeInstanceOf(kind);
      await free();
    });

    it("lets five waiting runs work one after the other, each on the state of the one before", async () => {
      const runs = Array.from({ length: 5 }, async () =>
        (await rig.open()).withLock(lockRequest({ wait: 60_000 }), async (held) => {
          const before = JSON.parse((await held.read()) ?? '{"serial":0}') as { serial: number };
          await turn();
          await held.check();
          await held.write(JSON.stringify({ serial: before.serial + 1 }), "intent");
        }),
      );
      await Promise.all(runs);
      expect(await one.read()).toBe('{"serial":5}');
    });

    it("lets in one of five runs that do not wait", async () => {
      const end = Promise.withResolvers<void>();
      const runs = Array.from({ length: 5 }, async () =>
        (await rig.open()).withLock(lockRequest(), () => end.promise),
      );
      const outcomes = runs.map((run) =>
        run.then(
          () => "worked",
          (error: unknown) => error,
        ),
      );
      // The one that is inside works until the others have ended.
      await fourOf(outcomes);
      end.resolve();
      const ends = await Promise.all(outcomes);
      expect(ends.filter((outcome) => outcome === "worked")).toHaveLength(1);
      expect(ends.filter((outcome) => outcome instanceof ConflictError)).toHaveLength(4);
    });

    it("confirms the lock as often as it is asked", async () => {
      await one.withLock(lockRequest(), async (held) => {
        await held.check();
        await held.write('{"serial":1}', "intent");
        await held.check();
      });
    });

    it("notices that another run has taken the lock, and never overwrites its state", async () => {
      const first = await holdLock(one);
      await first.held.write('{"serial":1}', "intent");
      await other.unlock(await lockId(other), true);
      const second = await holdLock(other);
      expect(await second.held.read()).toBe('{"serial":1}');
      expect(await thrownBy(first.held.check())).toBeInstanceOf(ConflictError);
      await second.held.write('{"serial":2}', "intent");
      expect(await thrownBy(first.held.write('{"serial":2,"mine":1}', "result"))).toBeInstanceOf(
        ConflictError,
      );
      expect(await thrownBy(first.held.check())).toBeInstanceOf(ConflictError);
      await first.free();
      // The lock is the other's still.
      await second.held.check();
      await expect(one.withLock(lockRequest(), async () => {})).rejects.toBeInstanceOf(
        ConflictError,
      );
      expect(await one.read()).toBe('{"serial":2}');
      await second.free();
    });

    it("never removes a lock by another ID", async () => {
      const { held, free } = await holdLock(one);
      const error = await thrownBy(other.unlock("6b1f0c1e-0000-4000-8000-000000000000", true));
      expect(error).toBeInstanceOf(ConflictError);
      expect(holderIn(error).id).toBe(await lockId(other));
      await held.check();
      await free();
    });

    it("reports that there is no lock to remove", async () => {
      expect(await thrownBy(one.unlock("any", true))).toBeInstanceOf(NotFoundError);
      await save(one, '{"serial":1}');
      expect(await thrownBy(one.unlock("any", true))).toBeInstanceOf(NotFoundError);
      await expect(one.withLock(lockRequest(), async () => 1)).resolves.toBe(1);
    });
  });
}

/** Resolves once all but one of five have ended. */
function fourOf(outcomes: readonly Promise<unknown>[]): Promise<void> {
  return new Promise((resolve) => {
    let left = 4;
    for (const outcome of outcomes) {
      void outcome.then(() => {
        left -= 1;
        if (left === 0) resolve();
      });
    }
  });
}
