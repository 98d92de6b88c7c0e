import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { apiErrors } from "../../src/api/errors.ts";
import type { Api } from "../../src/api/operations/endpoint.ts";
import {
  listInstallations,
  listIntegrations,
  listProjectInstallations,
} from "../../src/api/operations/endpoints.ts";
import { AuthError, InterruptedError, ServiceError } from "../../src/errors.ts";
import {
  findReferences,
  type ReadsInto,
  type ReferenceContext,
  readsBlock,
  readsInto,
} from "../../src/inspect/references.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

type Reads = Readonly<Record<string, string | undefined>>;

/** An installation that reads objects into destinations. */
function installation(id: string, integrationId: string, reads: Reads, groupName?: string) {
  const objects = Object.fromEntries(
    Object.entries(reads).map(([objectName, destination]) => [
      objectName,
      { objectName, destination },
    ]),
  );
  return {
    ...{ id, projectId: "prj", integrationId, healthStatus: "healthy", createdBy: "consumer:a" },
    ...{ createTime: "2026-01-01T00:00:00Z", connection: {} },
    config: { content: { read: { objects } } },
    ...(groupName ? { group: { groupName } } : {}),
  };
}

type Answers = Partial<Record<"project" | "integration" | "integrations", unknown>>;

/** A service that answers each list with a value, or fails with an error. */
function service(answers: Answers) {
  const shown: string[] = [];
  let begun = 0;
  const endpoints = new Map<unknown, keyof Answers>([
    [listProjectInstallations.path, "project"],
    [listInstallations.path, "integration"],
    [listIntegrations.path, "integrations"],
  ]);
  const answer = async (endpoint: { path: string }, input: { path: Record<string, string> }) => {
    const value = answers[endpoints.get(endpoint.path) ?? "project"] ?? [];
    const made = typeof value === "function" ? value(input.path) : value;
    if (made instanceof Error) throw made;
    return made;
  };
  const api = { call: answer, list: answer } as unknown as Api;
  const working = (text: string) => {
    begun += 1;
    shown.push(text);
    return () => {
      begun -= 1;
    };
  };
  const report = { working } as unknown as ReferenceContext["report"];
  return { context: { api, project: "acme", report }, shown, left: () => begun };
}

const missing = apiErrors.operation_missing({ does: "list them" }, 404);
const lineOf = (reads: ReadsInto) => JSON.stringify(readsBlock(reads));

describe("findReferences", () => {
  it("counts installations and objects by destination and integration, with the first ones", async () => {
    const { context } = service({
      project: [
        installation("i1", "A", { contacts: "ops", deals: "ops", notes: "logs" }, "Acme"),
        ...["i2", "i3", "i4"].map((id) => installation(id, "B", { tickets: "ops" })),
        installation("i5", "B", { tickets: "ops", users: undefined }),
        installation("i6", "B", {}),
      ],
      integrations: [{ id: "B", name: "support" }],
    });
    const references = await findReferences(context);
    expect(references).toMatchObject({ checked: true, searched: 6 });
    expect(readsInto(references, "ops")).toEqual({
      checked: true,
      searched: 6,
      installations: 5,
      objects: 6,
      integrations: [
        {
          integrationId: "B",
          integrationName: "support",
          installations: 4,
          first: ["i2", "i3", "i4"].map((id) => ({ id, objects: ["tickets"] })),
        },
        {
          integrationId: "A",
          installations: 1,
          first: [{ id: "i1", group: "Acme", objects: ["contacts", "deals"] }],
        },
      ],
    });
    expect(references.checked && [...references.reads.keys()]).toEqual(["ops", "logs"]);
  });

  it("looks for the wanted destinations only, by their exact names", async () => {
    const { context } = service({
      project: [installation("i1", "A", { a: "ops", b: "Ops", c: "toString" })],
    });
    const references = await findReferences(context, new Set(["ops", "none"]));
    expect(references.checked && [...references.reads.keys()]).toEqual(["ops"]);
    expect(readsInto(references, "none")).toMatchObject({ checked: true, installations: 0 });
  });

  it("asks for each integration where there is no list of the project", async () => {
    const { context } = service({
      project: missing,
      integrations: [{ id: "A" }, { id: "B" }],
      integration: ({ integrationId = "" }) => [
        installation(`of ${integrationId}`, integrationId, { contacts: "ops" }),
      ],
    });
    const reads = readsInto(await findReferences(context), "ops");
    expect(reads).toMatchObject({ checked: true, searched: 2, installations: 2 });
  });

  it.each([
    ["lacks both lists", { project: missing, integrations: missing }, "This service does not list"],
    ["forbids it", { project: new AuthError("Forbidden", { status: 403 }) }, "Forbidden"],
    ["fails", { project: new ServiceError("Broken") }, "Broken"],
    [
      "breaks off",
      {
        project: (async function* () {
          yield [installation("i1", "A", { contacts: "ops" })];
          throw new ServiceError("Cut off");
        })(),
      },
      "Cut off",
    ],
  ])("says that it could not check where the service %s", async (_, answers, why) => {
    const { context, left } = service(answers);
    const references = await findReferences(context);
    expect(references).toEqual({ checked: false, why: expect.stringContaining(why) });
    expect(lineOf(readsInto(references, "ops"))).toContain("Could not check");
    expect(left()).toBe(0);
  });

  it("ends with an interrupt, and with a defect", async () => {
    for (const error of [new InterruptedError("Interrupted"), new TypeError("defect")]) {
      const { context } = service({ project: error });
      await expect(findReferences(context)).rejects.toBe(error);
    }
  });

  it("searches ten thousand installations in flat memory, and shows how far it is", async () => {
    const held: WeakRef<object>[] = [];
    const alive = () => held.filter((one) => one.deref() !== undefined).length;
    const seen: number[] = [];
    const { context, shown, left } = service({
      project: (async function* () {
        for (let batch = 0; batch < 100; batch += 1) {
          const records = Array.from({ length: 100 }, (_, at) =>
            installation(`i${batch}-${at}`, `integration ${at % 3}`, { contacts: "ops" }, "Acme"),
          );
          held.push(...records.map((one) => new WeakRef(one)));
          yield records;
          // A weak reference is kept until its turn of the event loop ends.
          await new Promise((resolve) => setImmediate(resolve));
          if (batch % 30 !== 29) continue;
          collectGarbage();
          seen.push(alive());
        }
      })(),
    });
    const references = await findReferences(context, new Set(["ops"]));
    expect(readsInto(references, "ops")).toMatchObject({ searched: 10_000, installations: 10_000 });
    expect(held).toHaveLength(10_000);
    expect(Math.max(...seen)).toBeLessThanOrEqual(200);
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(alive()).toBeLessThanOrEqual(100);
    expect(shown.at(-1)).toContain("10000 so far");
    expect(left()).toBe(0);
  });
});
