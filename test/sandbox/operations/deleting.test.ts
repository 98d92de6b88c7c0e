import { expect, test } from "vitest";
import { SANDBOX_DEFAULTS } from "../../../src/sandbox/defaults.ts";
import { ask, fresh, setUpRouting } from "../ask.ts";

const ORG = SANDBOX_DEFAULTS.org;

test("each kind of record is deleted by its ID: 204, and 404 the second time", async () => {
  const sandbox = fresh();
  const { destination, topic, eventRoute, destinationRoute } = await setUpRouting(sandbox);
  for (const path of [
    `/projects/acme/topic-destination-routes/${destinationRoute.body.id}`,
    `/projects/acme/notification-event-topic-routes/${eventRoute.body.id}`,
    `/projects/acme/topics/${topic.body.id}`,
    `/projects/acme/destinations/${destination.body.id}`,
  ]) {
    const first = await ask(sandbox, `DELETE ${path}`);
    expect([first.status, first.text], path).toEqual([204, ""]);
    expect((await ask(sandbox, `DELETE ${path}`)).status, path).toBe(404);
    const list = path.slice(0, path.lastIndexOf("/"));
    expect((await ask(sandbox, `GET ${list}`)).body, path).toEqual([]);
  }
});

test("a deleted destination takes its routes with it, a deleted topic both kinds", async () => {
  const sandbox = fresh();
  const { destination, topic } = await setUpRouting(sandbox);
  const routes = async (kind: string) =>
    (await ask(sandbox, `GET /projects/acme/${kind}-routes`)).body.length;
  await ask(sandbox, `DELETE /projects/acme/destinations/${destination.body.id}`);
  expect(await routes("topic-destination")).toBe(0);
  expect(await routes("notification-event-topic")).toBe(1);
  await ask(sandbox, `DELETE /projects/acme/topics/${topic.body.id}`);
  expect(await routes("notification-event-topic")).toBe(0);
  // Those of the other project stay.
  expect(sandbox.world.eventRoutes).toHaveLength(4);
  expect(sandbox.world.destinationRoutes).toHaveLength(3);
});

test("a record of another project is not found, and a destination's name is not an ID", async () => {
  const sandbox = fresh();
  const { destination, topic } = await setUpRouting(sandbox);
  for (const path of [
    `/projects/globex-staging/topics/${topic.body.id}`,
    `/projects/globex-staging/destinations/${destination.body.id}`,
    "/projects/acme/destinations/ops-webhook",
  ]) {
    expect((await ask(sandbox, `DELETE ${path}`)).status, path).toBe(404);
  }
  expect((await ask(sandbox, "GET /projects/acme/topics")).body).toHaveLength(1);
});

test("an ID is never used twice", async () => {
  const sandbox = fresh();
  const make = () => ask(sandbox, "POST /projects/acme/topics", { name: "phoenix" });
  const first = await make();
  await ask(sandbox, `DELETE /projects/acme/topics/${first.body.id}`);
  expect((await make()).body.id).not.toBe(first.body.id);
});

test.each([
  ["pending", 204],
  ["revoked", 404],
  ["accepted", 409],
  ["expired", 409],
] as const)("revoking an invite that is %s answers %i", async (status, expected) => {
  const sandbox = fresh();
  const invite = sandbox.world.invites.find((each) => each.status === status);
  const answer = await ask(sandbox, `DELETE /orgs/${ORG}/invites/${invite?.id}`);
  expect(answer.status).toBe(expected);
  const after = sandbox.world.invites.find(({ id }) => id === invite?.id);
  expect(after?.status).toBe(expected === 204 ? "revoked" : status);
});

test("an invite belongs to its org, and a second revocation is a 404", async () => {
  const sandbox = fresh();
  const invite = sandbox.world.invites.find(({ parentId }) => parentId !== ORG);
  expect((await ask(sandbox, `DELETE /orgs/${ORG}/invites/${invite?.id}`)).status).toBe(404);
  const own = `DELETE /orgs/${invite?.parentId}/invites/${invite?.id}`;
  expect((await ask(sandbox, own)).status).toBe(204);
  expect((await ask(sandbox, own)).body).toMatchObject({ status: 404, subsystem: "orgs" });
});
