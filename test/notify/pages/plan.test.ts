import { describe, expect, it } from "vitest";
import { planPage } from "../../../src/notify/pages/plan.ts";
import {
  needsApply,
  type Plan,
  type PlanItem,
  type PlannedAction,
} from "../../../src/notify/plan/plan.ts";
import { planJson } from "../../../src/notify/plan/plan-document.ts";
import { NO_CHOICES } from "../../../src/notify/plan/table.ts";
import { Secret } from "../../../src/secrets/secret.ts";
import { renderPage } from "../../../src/ui/page.ts";

function planOf(items: readonly PlanItem[], more: Partial<Plan> = {}): Plan {
  return {
    items,
    kept: [],
    others: [],
    choices: NO_CHOICES,
    lists: true,
    duplicates: [],
    removedFromFile: [],
    renamed: [],
    unmanaged: [],
    changes: [],
    waiting: [],
    ...more,
  };
}

function item(action: PlannedAction, name: string): PlanItem {
  return { address: `topic/${name}`, kind: "topic", ...action };
}

function screen(plan: Plan, context: Parameters<typeof planJson>[2] = { all: false }): string {
  const paint = (_tone: string, text: string) => text;
  const lines = renderPage(planPage(planJson(plan, [], context)), {
    width: 80,
    paint,
    now: new Date(0),
  });
  return [...lines].map((line) => line.trimEnd()).join("\n");
}

const secret: PlanItem = {
  address: "destination/ops",
  kind: "destination",
  resource: {
    kind: "destination",
    address: "destination/ops",
    names: ["ops"],
    content: { type: "x", metadata: {} },
    secrets: { a: new Secret("hush") },
  },
  action: "create",
};

const ALL: Plan = planOf(
  [
    item({ action: "unknown" }, "begun"),
    secret,
    item({ action: "in_place", id: "t_1" }, "there"),
    item({ action: "adopt", id: "t_2" }, "found"),
    item(
      {
        action: "conflict",
        reason: "not_managed",
        id: "t_3",
        differences: [
          { field: "metadata.url", wanted: "https://a.example.com/", found: "https://b" },
          { field: "metadata.more", wanted: undefined, found: [1] },
        ],
      },
      "other",
    ),
    item(
      {
        action: "update",
        id: "t_13",
        fields: ["name", "metadata.url", "secrets.password"],
        differences: [
          { field: "name", wanted: "moved", found: "before" },
          { field: "metadata.url", wanted: "https://b.example.com/", found: "https://a" },
          { field: "metadata.new", wanted: 1, found: undefined },
          { field: "secrets.password", wanted: "[redacted]", found: "[redacted]" },
        ],
        renamedFrom: "topic/before",
        keptFields: ["metadata.headers"],
      },
      "moved",
    ),
    item({ action: "conflict", reason: "ambiguous", ids: ["t_5", "t_6"] }, "twice"),
    item({ action: "conflict", reason: "gone", id: "t_7" }, "gone"),
    item({ action: "delete", id: "t_8", place: { address: "topic/old" } }, "old"),
    item({ action: "release", id: "t_10", owners: ["b"] }, "shared"),
  ],
  {
    kept: [{ address: "topic/used", id: "t_9", reason: "in_use", routes: ["r_1", "r_2"] }],
    others: [
      { address: "topic/theirs", id: "t_11", owners: ["b", "c"] },
      { address: "topic/older", id: "t_12", owners: [] },
    ],
    lists: false,
  },
);

describe("planPage", () => {
  it("shows every action, the differences and the counts", async () => {
    await expect(screen(ALL)).toMatchFileSnapshot("./plan.txt");
  });

  it("shows what --accept recreate creates again, and what needs no confirmation", () => {
    const recreated = { action: "create", reason: "gone", previousId: "t_7" } as const;
    expect(screen(planOf([item(recreated, "gone")]))).toMatch(
      /\+ {2}topic {2}gone {2}again, t_7$/u,
    );
    const follows = planOf([
      item({ action: "create", reason: "follows", previousId: "t_7" }, "gone"),
    ]);
    expect(screen(follows)).toContain("1 to recreate");
  });

  it("says the type and the hosts of a destination to create, and nothing else of its address", () => {
    const url = "https://hooks.acme.com/a/path?token=hush";
    const content = { type: "webhook", metadata: { url, headers: { "X-Key": "hush" } } };
    const { resource } = secret;
    const made = resource && { ...secret, resource: { ...resource, content } };
    expect(screen(planOf(made ? [made] : []))).toMatch(/ops {2}webhook hooks\.acme\.com$/u);
  });

  it("shows a change as old → new, without headers and queries", () => {
    const differences = [
      { field: "metadata.url", wanted: "https://b.test/x?key=hush", found: "https://a.test/?hush" },
      { field: "metadata.headers", wanted: { a: "hush" }, found: { a: "b" } },
      { field: "metadata.other", wanted: "https://a.test/?hush", found: "https://a.test/?hash" },
    ];
    const text = screen(
      planOf([item({ action: "update", id: "t_1", fields: [], differences }, "a")]),
    );
    expect(text).toMatch(/metadata\.url +"https:\/\/a\.test\/" → "https:\/\/b\.test\/x"$/mu);
    expect(text).toMatch(/metadata\.headers +changed \(hidden\)$/mu);
    expect(text).toMatch(/metadata\.other +changed \(hidden\)$/mu);
    expect(text).not.toContain("hush");
  });

  it("counts the other resources of the state in one dim line, or lists them", () => {
    const { blocks } = planPage(planJson(ALL, [], { all: false }));
    expect(blocks).toContainEqual({
      ...{ kind: "text", tone: "dim" },
      text: "2 other resources in this state (--all lists them)",
    });
    const text = screen(ALL, { all: true });
    expect(text).toMatch(/2 other resources in this state\n +ADDRESS +OWNER +ID\n/u);
    expect(text).toMatch(/topic\/theirs +b, c +t_11\n +topic\/older +\(none\) +t_12$/u);
    expect(text).not.toContain("--all");
  });

  it("only counts what is unchanged, unless all is asked for", () => {
    const unchanged = item({ action: "in_place", id: "t_1" }, "a");
    const plan = planOf([unchanged, item({ action: "create" }, "new")]);
    expect(screen(plan)).toBe("1 to create, 1 unchanged\n\n+  topic  new");
    expect(screen(plan, { all: true })).toContain("=  topic  a    t_1");
  });

  it("says that there is nothing to do", () => {
    expect(screen(planOf([item({ action: "in_place", id: "t_1" }, "a")]))).toMatch(
      /^In sync: 1 resource$/u,
    );
    expect(screen(planOf([]))).toBe("In sync: no resources");
  });

  it("counts each row by its words: what is gone is not to be deleted", () => {
    const gone = item({ action: "delete", id: "t_1", place: { address: "topic/a" } }, "a");
    const listed = { name: "b", type: undefined };
    const there = { ...gone, id: "t_2", listed };
    expect(screen({ ...planOf([gone, there]), lists: true })).toBe(
      [
        "1 to delete, 1 not listed any more\n",
        "-  topic  a  not listed, t_1",
        "-  topic  a  t_2",
      ].join("\n"),
    );
    expect(screen({ ...planOf([gone]), lists: false })).toMatch(/^1 to delete\n/u);
  });

  it("does not call in place what apply only adds to the state", () => {
    const adopts = planOf([item({ action: "adopt", id: "t_1" }, "a")]);
    expect(screen(adopts)).toMatch(/^1 to adopt\n/u);
  });

  it("says which conflict it is, of the routes that follow it, and once", () => {
    const conflict = item({ action: "conflict", reason: "gone", id: "t_7" }, "gone");
    const route: PlanItem = {
      ...{ address: "event-route/gone/connection.error", kind: "event-route" },
      ...{ action: "conflict", reason: "end_in_conflict", id: "r_1", elsewhere: "topic/gone" },
    };
    expect(screen(planOf([conflict, route]))).toBe(
      [
        "2 conflicts: nothing would be sent\n",
        "!  topic  gone                     is no longer listed (ID t_7)",
        "!  route  connection.error → gone  needs topic/gone, which is in conflict",
      ].join("\n"),
    );
  });

  it("says that an unknown outcome stops an apply where the service has no lists", () => {
    const open = [item({ action: "unknown" }, "a"), item({ action: "create" }, "b")];
    const stuck = /: nothing would be sent before you record/u;
    expect(screen({ ...planOf(open), lists: false })).toMatch(stuck);
    expect(screen({ ...planOf(open), lists: true })).toMatch(
      /^1 with unknown outcome, 1 to create\n/u,
    );
    // An update is sent again without lists, too.
    const update = [item({ action: "unknown", id: "t_1" }, "a")];
    expect(screen({ ...planOf(update), lists: false })).not.toMatch(stuck);
  });
});

it("says of a conflict whose values are both hidden that they differ", () => {
  const differences = [{ field: "metadata.url", wanted: "[redacted]", found: "[redacted]" }];
  const shown = screen(
    planOf([item({ action: "conflict", reason: "changed_both", id: "d_1", differences }, "ops")]),
  );
  expect(shown).toMatch(/metadata\.url +changed \(hidden\)/u);
  expect(shown).not.toContain("redacted");
});

describe("planJson", () => {
  it("holds everything but the resources, and no secret", () => {
    // A changed secret is told as hidden before and after.
    const hidden = '"wanted":"[redacted]","found":"[redacted]"';
    const json = JSON.stringify(planJson(ALL)).replace(hidden, '"wanted":1,"found":2');
    expect(json).not.toMatch(/hush|"resource"|"content"|redacted/u);
    expect(JSON.parse(json)).toMatchObject({
      pending: true,
      lists: false,
      counts: { create: 1, adopt: 1, in_place: 1, unknown: 1, conflict: 3, delete: 1, release: 1 },
      items: [
        { address: "topic/begun", action: "unknown" },
        { address: "destination/ops" },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        { address: "topic/shared", action: "release", owners: ["b"] },
      ],
      others: [{ address: "topic/theirs", owners: ["b", "c"] }, { owners: [] }],
      kept: [{ address: "topic/used" }],
    });
  });
});

describe("needsApply", () => {
  it.each<readonly [action: PlannedAction, pending: boolean]>([
    [{ action: "in_place", id: "1" }, false],
    [{ action: "adopt", id: "1" }, false],
    [{ action: "create" }, true],
    [{ action: "conflict", reason: "gone", id: "1" }, true],
    [{ action: "unknown" }, true],
    [{ action: "conflict", reason: "not_managed", id: "1", differences: [] }, true],
    [{ action: "conflict", reason: "ambiguous", ids: ["1", "2"] }, true],
    [{ action: "delete", id: "1", place: { address: "topic/a" } }, true],
    [{ action: "release", id: "1", owners: [] }, false],
  ])("%j", (action, pending) => {
    expect(needsApply(planOf([item(action, "a")]))).toBe(pending);
  });

  it("says how an unknown outcome is resolved if the service has lists", () => {
    const plan = { ...planOf([item({ action: "unknown" }, "a")]), lists: true };
    expect(planPage(planJson(plan)).blocks).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining("are looked up first") }),
    );
  });
});
