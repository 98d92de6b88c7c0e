import { describe, expect, it } from "vitest";
import { verifySignature } from "../../../src/events/message/signature.ts";
import { ask, NOW } from "../ask.ts";
import type { Answer } from "./receiver.ts";
import {
  attemptsOf,
  create,
  delivering,
  FAST,
  receiving,
  route,
  secretOf,
  trigger,
  webhook,
  wired,
} from "./wiring.ts";

const withControl =
  (control: string, status = 500): Answer =>
  (response) =>
    response.writeHead(status, { "webhook-delivery": control }).end();

/** A wired sandbox, with a second webhook that is told of disabled ones. */
async function watched(answer: (number: number) => Answer, timeScale = FAST) {
  const { sandbox, receiver, id } = await wired({ timeScale }, answer);
  const pager = await receiving();
  const pagerId = await webhook(sandbox, "pager", pager.url);
  await route(sandbox, "trouble", ["destination.webhook.disabled"], [pagerId]);
  return { sandbox, receiver, id, pager };
}

describe("an answer with webhook-delivery", () => {
  it("abort-message ends the attempts at this message alone", async () => {
    const { sandbox, receiver, pager } = await watched((number) =>
      number === 1 ? withControl("abort-message") : number === 3 ? 500 : 204,
    );
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    expect((await attemptsOf(sandbox)).map(({ outcome }) => outcome)).toEqual([
      "aborted",
      "delivered",
    ]);
    expect([receiver.got.length, pager.got.length]).toEqual([2, 0]);
    // By hand it is attempted once, not by the schedule again.
    const [{ messageId: id } = { messageId: "" }] = await attemptsOf(sandbox);
    const again = await ask(sandbox, "POST /sandbox/projects/acme/redeliveries", { id });
    expect(again.body).toMatchObject([{ attempt: 2, outcome: "failed" }]);
    await sandbox.events.settled();
    expect(await attemptsOf(sandbox)).toHaveLength(3);
  });

  it.each([
    ["a failure", 500, "aborted"],
    ["a success", 200, "delivered"],
  ])("disable disables the destination, which is an event, at %s", async (_, status, outcome) => {
    const { sandbox, receiver, id, pager } = await watched(() => withControl("Disable", status));
    await trigger(sandbox, "connection.error");
    await expect.poll(() => pager.got).toHaveLength(1);
    await sandbox.events.settled();
    expect(JSON.parse(pager.got[0]?.body ?? "")).toEqual({
      notificationType: "destination.webhook.disabled",
      data: {
        projectId: "prj_acme0a1b",
        destinationId: id,
        destinationName: "ops",
        url: receiver.url,
      },
    });
    const { body } = await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    expect(body.reaches[0].reason).toBe("the destination is disabled");
    expect((await attemptsOf(sandbox, "?destination=ops")).map((each) => each.outcome)).toEqual([
      outcome,
      "not_sent",
    ]);
    expect(receiver.got).toHaveLength(1);
  });

  it("is enabled again by an update, and by a message that is delivered by hand", async () => {
    let isWell = false;
    const answer = () => (isWell ? 204 : withControl("disable"));
    const { sandbox, receiver, id } = await watched(answer);
    const outcome = async () => {
      await trigger(sandbox, "connection.error");
      await sandbox.events.settled();
      return (await attemptsOf(sandbox, "?destination=ops")).at(-1)?.outcome;
    };
    expect(await outcome()).toBe("aborted");
    expect(await outcome()).toBe("not_sent");
    await ask(sandbox, `PATCH /projects/acme/destinations/${id}`, {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: `${receiver.url}/new` } },
    });
    expect(await outcome()).toBe("aborted");
    isWell = true;
    expect(await outcome()).toBe("not_sent");
    const { messageId } = (await attemptsOf(sandbox, "?destination=ops&limit=1"))[0] ?? {};
    const path = "POST /sandbox/projects/acme/redeliveries";
    const again = await ask(sandbox, path, { id: messageId });
    expect(again.body).toMatchObject([{ messageId, attempt: 2, outcome: "delivered" }]);
    expect(await outcome()).toBe("delivered");
    // Only a whole ID is one.
    for (const id of [messageId?.slice(0, 12), "msg_", ""]) {
      expect((await ask(sandbox, path, { id })).status, id).toBeOneOf([404, 422]);
    }
  });
});

describe("a destination that only fails", () => {
  it("is disabled after five days, in the schedule's time", async () => {
    const { sandbox, receiver, pager } = await watched(() => 500);
    await trigger(sandbox, "connection.error");
    await expect.poll(() => pager.got).toHaveLength(1);
    // 5 days are 432 ms; the last attempt was after 28 hours.
    expect(receiver.got).toHaveLength(8);
    expect(sandbox.events.history.disabled.size).toBe(1);
  });

  it("is not while something is delivered", async () => {
    const { sandbox, pager } = await watched((number) => (number % 2 === 1 ? 500 : 204));
    for (let round = 0; round < 12; round++) {
      await trigger(sandbox, "connection.error");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await sandbox.events.settled();
    expect(pager.got).toHaveLength(0);
    expect(sandbox.events.history.disabled.size).toBe(0);
  });
});

describe("a rotated secret", () => {
  it("signs messages together with the old secret for a day", async () => {
    let now = NOW;
    const sandbox = delivering({ timeScale: 1 }, { now: () => now });
    const receiver = await receiving();
    await route(sandbox, "t", ["connection.error"], [await webhook(sandbox, "ops", receiver.url)]);
    const old = await secretOf(sandbox, "ops");
    await ask(sandbox, "GET /projects/acme/destinations/ops?rotate=true");
    const current = await secretOf(sandbox, "ops");
    expect(current).not.toBe(old);
    const holdsBy = async (secret: string) => {
      await trigger(sandbox, "connection.error");
      await sandbox.events.settled();
      const got = receiver.got.at(-1);
      return verifySignature({ headers: got?.headers ?? {}, body: got?.body ?? "" }, [secret], now)
        .valid;
    };
    expect([await holdsBy(old), await holdsBy(current)]).toEqual([true, true]);
    expect(receiver.got[0]?.headers["svix-signature"]).toMatch(/^v1,\S+ v1,\S+$/u);
    now = new Date(NOW.getTime() + 24 * 3_600_000);
    expect([await holdsBy(old), await holdsBy(current)]).toEqual([false, true]);
    expect(JSON.stringify(await ask(sandbox, "GET /projects/acme/destinations"))).not.toContain(
      "previousKey",
    );
  });

  it("that cannot sign is reported, and nothing is sent", async () => {
    const sandbox = delivering();
    const receiver = await receiving();
    const id = await create(sandbox, "destinations", {
      name: "ops",
      type: "webhook",
      metadata: { url: receiver.url },
      secrets: { webhookSigningKey: "whsec_***" },
    });
    await route(sandbox, "t", ["connection.error"], [id]);
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    expect(await attemptsOf(sandbox)).toMatchObject([
      { outcome: "not_sent", error: "the signing secret is not valid base64 after whsec_" },
    ]);
    expect(receiver.got).toHaveLength(0);
  });
});

describe("a webhook on another machine", () => {
  // This address is this machine, but not by its name.
  const foreign = (url: string) => url.replace("127.0.0.1", "[::ffff:127.0.0.1]");

  it("receives messages only if remote deliveries are allowed", async () => {
    for (const [deliverToAnyHost, count] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const sandbox = delivering({ deliverToAnyHost });
      const receiver = await receiving();
      const made = await create(sandbox, "destinations", {
        name: "far",
        type: "webhook",
        metadata: { url: foreign(receiver.url).replace("http:", "https:") },
      });
      await route(sandbox, "t", ["connection.error"], [made]);
      const { body } = await trigger(sandbox, "connection.error");
      await expect.poll(() => attemptsOf(sandbox)).not.toHaveLength(0);
      const [attempt] = await attemptsOf(sandbox);
      expect(body.reaches[0].reason).toBe(
        count === 0 ? "the URL is not on this machine" : undefined,
      );
      // The receiver speaks no TLS, so it was reached and refused.
      expect(attempt?.outcome).toBe(count === 0 ? "not_sent" : "failed");
    }
  });
});

describe("a config of more than 300 KB", () => {
  it("is at an address that the sandbox serves without a key", async () => {
    const { sandbox, receiver, id } = await wired();
    await route(sandbox, "updates", ["installation.updated"], [id]);
    const data = { id: 1, config: { padding: "x".repeat(310_000) }, lastConfig: { a: 1 } };
    await trigger(sandbox, "installation.updated", { data });
    await sandbox.events.settled();
    const { body = "" } = receiver.got[0] ?? {};
    expect(body.length).toBeLessThan(1000);
    const sent = JSON.parse(body).data;
    expect(Object.keys(sent)).toEqual(["id", "lastConfig", "configURL"]);
    const path = new URL(sent.configURL).pathname.replace("/v1", "");
    const served = await ask(sandbox, `GET ${path}`, undefined, {});
    expect([served.status, served.body]).toEqual([200, data.config]);
    for (const other of [path.replace(/config$/u, "id"), path.replace("evt_", "evt_0")]) {
      expect((await ask(sandbox, `GET ${other}`, undefined, {})).status, other).toBe(404);
    }
  });
});

describe("a change through the API", () => {
  it("fires the events of an installation that is paused", async () => {
    const { sandbox, receiver, id } = await wired();
    await route(sandbox, "updates", ["installation.updated", "connection.updated"], [id]);
    const [installation] = sandbox.world.installations;
    if (installation === undefined) throw new Error("no installation");
    const path = `/projects/acme/integrations/${installation.integrationId}/installations/${installation.id}`;
    const objects = installation.config.content?.read?.objects ?? {};
    const { status, text } = await ask(sandbox, `PATCH ${path}`, {
      updateMask: ["config.content.read.objects.contacts.disabled"],
      installation: {
        config: { content: { read: { objects: { contacts: { disabled: true } } } } },
      },
    });
    expect(status, text).toBe(200);
    await sandbox.events.settled();
    expect(receiver.got).toHaveLength(1);
    const { notificationType, data } = JSON.parse(receiver.got[0]?.body ?? "");
    expect(notificationType).toBe("installation.updated");
    expect(data.lastConfig.read.objects).toEqual(objects);
    expect(data.config.read.objects.contacts.disabled).toBe(true);
  });
});
