import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { verifySignature } from "../../../src/events/message/signature.ts";
import type { AttemptRecord } from "../../../src/sandbox/events/delivery.ts";
import { messageSchema, notificationSchema } from "../../events/schemas.ts";
import { ask, NOW } from "../ask.ts";
import type { Answer } from "./receiver.ts";
import {
  attemptsOf,
  delivering,
  FAST,
  receiving,
  route,
  secretOf,
  trigger,
  webhook,
  wired,
} from "./wiring.ts";

const ajv = new Ajv({ formats: { "date-time": true } });

describe("an event", () => {
  it("of each type arrives signed, and as the platform's", async () => {
    const sandbox = delivering();
    const receiver = await receiving();
    const id = await webhook(sandbox, "ops", receiver.url, { headers: { "X-Team": "ops" } });
    await route(sandbox, "all", EVENT_TYPES, [id]);
    const secret = await secretOf(sandbox, "ops");
    for (const type of EVENT_TYPES) {
      expect((await trigger(sandbox, type)).status, type).toBe(201);
      await sandbox.events.settled();
      const { headers, body } = receiver.got.at(-1) ?? { headers: {}, body: "" };
      expect(headers).toMatchObject({ "content-type": "application/json", "x-team": "ops" });
      expect(verifySignature({ headers, body }, [secret], NOW), type).toMatchObject({
        valid: true,
        id: expect.stringMatching(/^msg_[0-9a-f]{24}$/u),
      });
      ajv.validate(notificationSchema(type), JSON.parse(body));
      expect(ajv.errorsText(ajv.errors), type).toBe("No errors");
    }
    expect(receiver.got).toHaveLength(EVENT_TYPES.length);
    expect(new Set(receiver.got.map(({ headers }) => headers["svix-id"])).size).toBe(
      EVENT_TYPES.length,
    );
  });

  it("goes where the routes lead, once for each topic and destination", async () => {
    const sandbox = delivering();
    const [one, two, none] = [await receiving(), await receiving(), await receiving()];
    const ids = [
      await webhook(sandbox, "one", one.url),
      await webhook(sandbox, "two", two.url),
    ] as const;
    const other = await webhook(sandbox, "none", none.url);
    const before = await trigger(sandbox, "connection.error");
    expect(before.body.reaches).toEqual([]);
    // Equal routes are one way; two topics are two.
    const twice = ["connection.error", "connection.error"];
    const topicId = await route(sandbox, "first", twice, [...ids, ids[0]]);
    await route(sandbox, "second", ["connection.error", "connection.created"], [ids[1]]);
    await route(sandbox, "third", ["connection.deleted"], [other]);
    const { body } = await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    expect(body.reaches).toEqual([
      expect.objectContaining({ topicId, topicName: "first", destinationName: "one" }),
      expect.objectContaining({ topicId, destinationName: "two", destinationType: "webhook" }),
      expect.objectContaining({ topicName: "second", destinationName: "two" }),
    ]);
    expect([one, two, none].map(({ got }) => got.length)).toEqual([1, 2, 0]);
    expect(body.eventIds).toHaveLength(1);
  });

  it("has the fields that were given, and occurs as often as was asked for", async () => {
    const { sandbox, receiver } = await wired();
    const data = { projectId: "any", errors: ["Café"] };
    const { body } = await trigger(sandbox, "connection.error", { data, repeat: 30 });
    await sandbox.events.settled();
    expect(new Set(body.eventIds).size).toBe(30);
    expect(receiver.got).toHaveLength(30);
    expect(JSON.parse(receiver.got[7]?.body ?? "")).toEqual({
      notificationType: "connection.error",
      data,
    });
  });

  it("describes the installation named in the request", async () => {
    const { sandbox, receiver } = await wired();
    const { id } = sandbox.world.installations.at(-1) ?? { id: "" };
    await trigger(sandbox, "connection.error", { installationId: id });
    await sandbox.events.settled();
    expect(receiver.got[0]?.body).toContain("Paper Street Soap");
    const unknown = await trigger(sandbox, "connection.error", { installationId: "ins_0" });
    expect([unknown.status, unknown.body.issues[0].name]).toEqual([422, "installationId"]);
    for (const wrong of [{ repeat: 0 }, { repeat: 10_001 }, { data: [] }, { more: 1 }]) {
      expect((await trigger(sandbox, "connection.error", wrong)).status).toBe(422);
    }
  });

  it("is of the sample data in a project without installations", async () => {
    const { body } = await ask(
      delivering(),
      "GET /sandbox/projects/globex-staging/payload?type=connection.error",
    );
    expect(body.data).toMatchObject({ projectId: "prj_globex2c", provider: expect.any(String) });
  });
});

describe("a data message", () => {
  it.each(["read.message", "subscribe.message"])(
    "%s goes to the destination that the reads name, without a route",
    async (type) => {
      const sandbox = delivering();
      const receiver = await receiving();
      await webhook(sandbox, "acme-webhook", receiver.url);
      const { body } = await trigger(sandbox, type);
      await sandbox.events.settled();
      expect(body.reaches).toMatchObject([{ destinationName: "acme-webhook" }]);
      expect(body.reaches[0]).not.toHaveProperty("topicId");
      ajv.validate(messageSchema(type), JSON.parse(receiver.got[0]?.body ?? ""));
      expect(ajv.errorsText(ajv.errors)).toBe("No errors");
    },
  );

  it("reaches no destination where the destination or the read does not exist", async () => {
    const sandbox = delivering();
    const reachesOf = async (data: object) =>
      (await trigger(sandbox, "read.message", { data })).body.reaches;
    const destination = await webhook(sandbox, "acme-webhook", "http://127.0.0.1:1/");
    const { id: installationId } = sandbox.world.installations[0] ?? { id: "" };
    expect(await reachesOf({ installationId, objectName: "contacts" })).toHaveLength(1);
    expect(await reachesOf({ installationId, objectName: "nothing" })).toEqual([]);
    expect(await reachesOf({ installationId: "ins_0", objectName: "contacts" })).toEqual([]);
    await ask(sandbox, `DELETE /projects/acme/destinations/${destination}`);
    expect(await reachesOf({ installationId, objectName: "contacts" })).toEqual([]);
  });
});

describe("the schedule", () => {
  it("attempts eight times, at the platform's times", async () => {
    // Five days of failures, after which a destination is disabled, take 4.3 s here.
    const timeScale = FAST / 10;
    const { sandbox, receiver } = await wired({ timeScale }, () => 503);
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    const attempts = await attemptsOf(sandbox);
    expect(receiver.got).toHaveLength(8);
    expect(new Set(receiver.got.map(({ headers }) => headers["svix-id"])).size).toBe(1);
    expect(attempts.map((each) => each.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const hour = 3600;
    const waits = [5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 10 * hour, undefined];
    expect(
      attempts.map(({ nextAttemptTime, time }) =>
        nextAttemptTime === undefined
          ? undefined
          : ((Date.parse(nextAttemptTime) - Date.parse(time)) * timeScale) / 1000,
      ),
      // A time of day has milliseconds, here 100 seconds each.
    ).toEqual(waits.map((wait) => (wait === undefined ? wait : Math.floor(wait / 100) * 100)));
    expect(attempts.every(({ outcome, status }) => outcome === "failed" && status === 503)).toBe(
      true,
    );
  });

  it("stops retrying after the first success", async () => {
    const { sandbox, receiver } = await wired({}, (number) => (number < 3 ? 500 : 200));
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    expect(receiver.got).toHaveLength(3);
    const attempts = await attemptsOf(sandbox);
    expect(attempts.map(({ outcome, status }) => [outcome, status])).toEqual([
      ["failed", 500],
      ["failed", 500],
      ["delivered", 200],
    ]);
    expect(attempts[2]).not.toHaveProperty("nextAttemptTime");
  });

  it("ends where another attempt, by hand, delivers while the first one still fails", async () => {
    const first = Promise.withResolvers<() => void>();
    const byHand = Promise.withResolvers<() => void>();
    const { sandbox, receiver } = await wired({ timeScale: 50 }, (number) => (response) => {
      const [status, held] = number === 1 ? [500, first] : [204, byHand];
      held.resolve(() => response.writeHead(status).end());
    });
    const { eventIds } = (await trigger(sandbox, "connection.error")).body;
    const fail = await first.promise;
    const again = sandbox.events.redeliver(eventIds[0]);
    const deliver = await byHand.promise;
    fail();
    await expect.poll(() => sandbox.events.history.attempts.length).toBe(1);
    deliver();
    expect((await again)?.map(({ outcome }) => outcome)).toEqual(["delivered"]);
    await sandbox.events.settled();
    expect(receiver.got).toHaveLength(2);
  });

  it.each([
    ["a redirect", (r) => r.writeHead(307, { location: "/other" }).end(), { status: 307 }],
    ["no response", () => {}, { error: "no response within 0.5 s" }],
    ["a reset", (r) => r.socket?.resetAndDestroy(), { error: "the connection was reset" }],
    ["a reason", (r) => r.writeHead(400).end("no such thing"), { response: "no such thing" }],
    ["a long body", (r) => r.writeHead(400).end("x".repeat(1e6)), { response: /^x{500}$/u }],
  ] satisfies [string, Answer, object][])("counts %s as a failure", async (_, answer, fact) => {
    const first = (number: number) => (number === 1 ? answer : 204);
    const { sandbox, receiver } = await wired({ attemptTimeoutMs: 500 }, first);
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    const attempts = await attemptsOf(sandbox);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["failed", "delivered"]);
    for (const [name, value] of Object.entries(fact)) {
      const shown = attempts[0]?.[name as keyof AttemptRecord];
      if (value instanceof RegExp) expect(shown).toMatch(value);
      else expect(shown).toBe(value);
    }
    expect(receiver.got).toHaveLength(2);
  });

  it("continues if nothing listens, until the destination is deleted", async () => {
    const { sandbox, receiver, id } = await wired({ timeScale: 1000 });
    await receiver[Symbol.asyncDispose]();
    await trigger(sandbox, "connection.error");
    await expect.poll(() => attemptsOf(sandbox)).toHaveLength(2);
    expect((await attemptsOf(sandbox))[0]).toMatchObject({ error: "connection refused" });
    await ask(sandbox, `DELETE /projects/acme/destinations/${id}`);
    await expect
      .poll(async () => (await attemptsOf(sandbox)).at(-1))
      .toMatchObject({
        outcome: "not_sent",
        error: "the destination was deleted",
      });
  });
});
