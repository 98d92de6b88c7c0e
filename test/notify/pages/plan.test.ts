import { describe, expect, it } from "vitest";
import { planPage } from "../../../src/notify/pages/plan.ts";
import { NO_CHOICES } from "../../../src/notify/plan/choices.ts";
import {
  needsApply,
  type Plan,
  type PlanItem,
  type PlannedAction,
} from "../../../src/notify/plan/plan.ts";
import { type PlanDocumentExtras, planJson } from "../../../src/notify/plan/plan-document.ts";
import { Secret } from "../../../src/secrets/secret.ts";
import { renderPage } from "../../../src/ui/page.ts";

function planOf(items: readonly PlanItem[], more: Partial<Plan> = {}): Plan {
  return {
    items,
    kept: [],
    others: [],
    choices: NO_CHOICES,
    hasLists: true,
    duplicates: [],
    removedFromFile: [],
    needlessRenames: [],
    unmanaged: [],
    ...more,
  };
}

function item(action: PlannedAction, name: string): PlanItem {
  return { address: `topic/${name}`, kind: "topic", ...action };
}

function screen(plan: Plan, context: PlanDocumentExtras = { all: false }): string {
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
        reason: "differs",
        id: "t_3",
        differences: [
          { field: "metadata.url", wanted: "https://a.example.com/", found: "https://b" },
          { field: "metadata.more", wanted: undefined, found: [1] },
        ],
      },
      "other",
    ),
    item({ action: "conflict", reason: "differs", id: "t_4", differences: [] }, "unseen"),
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
    item({ action: "conflict", reason: "not_listed", id: "t_7" }, "gone"),
    item({ action: "delete", id: "t_8" }, "old"),
    item({ action: "release", id: "t_10", owners: ["b"] }, "shared"),
  ],
  {
    kept: [{ address: "topic/used", id: "t_9", routes: ["r_1", "r_2"] }],
    others: [
      { address: "topic/theirs", id: "t_11", owners: ["b", "c"] },
      { address: "topic/older", id: "t_12", owners: [] },
    ],
    hasLists: false,
  },
);

describe("planPage", () => {
  it("shows every action, the differences and the counts", () => {
    expect(screen(ALL)).toMatchInlineSnapshot(`
      "This routing cannot be applied:

         ADDRESS          ACTION                               ID
      ?  topic/begun      outcome unknown
      +  destination/ops  create
      =  topic/there      in place                             t_1
      =  topic/found      exists, adopt                        t_2
      !  topic/other      differs                              t_3
      !  topic/unseen     differs                              t_4
      ~  topic/moved      update                               t_13
      !  topic/twice      ambiguous
      !  topic/gone       no longer listed                     t_7
      -  topic/old        delete (not listed)                  t_8
      =  topic/shared     no longer in this file, kept (in b)  t_10

      topic/other exists with different settings
        metadata.url      wanted "https://a.example.com/"
                          found "https://b"
        metadata.more     wanted nothing
                          found [1]

      topic/unseen exists with different settings
        Differs           in something that the service does not return, possibly a
                          secret

      topic/before is renamed to moved
        name              "before" → "moved"
        metadata.url      "https://a" → "https://b.example.com/"
        metadata.new      → 1
        secrets.password  changed (hidden)

      topic/moved: no longer in the file, and left as it is: metadata.headers

      topic/twice exists 2 times
        IDs               t_5
                          t_6

      A resource that is no longer listed was deleted elsewhere, or the list is out of
      date. If it was deleted, add --recreate.

      Unknown outcomes cannot be looked up at this service. Check there which
      resources exist.

      Record the results
        amp notify state resolve <address> --id <id>
        amp notify state resolve <address> --not-created

      topic/used is kept: other routes use it (r_1, r_2).

      This service has no lists: only the state records what exists.

      2 other resources in this state (--all lists them)

      1 outcome unknown · 2 in conflict · 1 ambiguous · 1 no longer listed · 1 to
      create · 1 to update · 1 to adopt · 1 in place · 1 kept · 1 resource will be
      deleted"
    `);
  });

  it("shows what --recreate creates again, and what needs no confirmation", () => {
    const recreated = { action: "create", reason: "not_listed", previousId: "t_7" } as const;
    expect(screen(planOf([item(recreated, "gone")]))).toContain("+  topic/gone  recreate");
    const follows = planOf([
      item({ action: "create", reason: "follows", previousId: "t_7" }, "gone"),
    ]);
    expect(screen(follows)).toContain("1 to recreate");
  });

  it("counts what it deletes in words, at the end", () => {
    const old = ["a", "b"].map((name) => item({ action: "delete", id: name }, name));
    const made = item({ action: "create" }, "new");
    expect(screen(planOf([made, ...old]))).toMatch(/1 to create · 2 resources will be deleted$/u);
    expect(screen(planOf(old.slice(1)))).toMatch(/\n1 resource will be deleted$/u);
  });

  it("counts the other resources of the state in one dim line, or lists them", () => {
    const { blocks } = planPage(planJson(ALL, [], { all: false }));
    expect(blocks).toContainEqual({
      ...{ kind: "text", tone: "dim" },
      text: "2 other resources in this state (--all lists them)",
    });
    const text = screen(ALL, { all: true });
    expect(text).toMatch(/2 other resources in this state\n +ADDRESS +WANTED BY +ID\n/u);
    expect(text).toMatch(/topic\/theirs +b, c +t_11\n +topic\/older +no owner +t_12\n/u);
    expect(text).not.toContain("--all");
  });

  it("only counts on a terminal what is in place where there is much of it", () => {
    const many = Array.from({ length: 1_000 }, (_, at) =>
      item({ action: "in_place", id: `t_${at}` }, `t${at}`),
    );
    const text = screen(planOf([...many, item({ action: "create" }, "new")]));
    expect(text.split("\n").length).toBeLessThan(10);
    expect(text).toContain("1 to create · 1000 in place");
    const page = planPage(planJson(planOf([...many, item({ action: "create" }, "new")])));
    const piped = { width: 30, paint: (_: string, one: string) => one, now: new Date(0) };
    const lines = [...renderPage(page, { ...piped, isPiped: true })];
    expect(lines.filter((line) => /^= {2}topic\/t\d+ +in place +t_\d+$/u.test(line))).toHaveLength(
      1_000,
    );
  });

  it("says that there is nothing to do", () => {
    expect(screen(planOf([item({ action: "in_place", id: "t_1" }, "a")]))).toMatch(
      /^Everything is in place\./u,
    );
    expect(screen(planOf([]))).toContain("no resources");
  });

  it("does not call in place what apply only adds to the state", () => {
    const adopts = planOf([item({ action: "adopt", id: "t_1" }, "a")]);
    expect(screen(adopts)).toMatch(/^Everything exists, and is only added to the state:\n/u);
  });

  it("names the other routing that an unknown outcome is of", () => {
    const plan = planOf([item({ action: "unknown", owners: ["crm"] }, "a")]);
    expect(screen(plan)).toContain("outcome unknown (in crm)");
  });

  it("says that an unknown outcome stops an apply where the service has no lists", () => {
    const open = [item({ action: "unknown" }, "a"), item({ action: "create" }, "b")];
    const title = "This routing cannot be applied until the unknown outcomes are recorded:";
    expect(screen({ ...planOf(open), hasLists: false })).toMatch(new RegExp(`^${title}\n`, "u"));
    expect(screen({ ...planOf(open), hasLists: true })).toMatch(/^This routing can be applied:\n/u);
    // An update is sent again without lists, too.
    const update = [item({ action: "unknown", id: "t_1" }, "a")];
    expect(screen({ ...planOf(update), hasLists: false })).toMatch(
      /^This routing can be applied:\n/u,
    );
  });
});

it("says of a conflict whose values are both hidden that they differ", () => {
  const differences = [{ field: "metadata.url", wanted: "[redacted]", found: "[redacted]" }];
  const shown = screen(
    planOf([item({ action: "conflict", reason: "differs", id: "d_1", differences }, "ops")]),
  );
  expect(shown).toMatch(/metadata\.url +differs \(hidden\)/u);
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
      counts: { create: 1, adopt: 1, in_place: 1, unknown: 1, conflict: 4, delete: 1, release: 1 },
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
    [{ action: "conflict", reason: "not_listed", id: "1" }, true],
    [{ action: "unknown" }, true],
    [{ action: "conflict", reason: "differs", id: "1", differences: [] }, true],
    [{ action: "conflict", reason: "ambiguous", ids: ["1", "2"] }, true],
    [{ action: "delete", id: "1" }, true],
    [{ action: "release", id: "1", owners: [] }, false],
  ])("%j", (action, pending) => {
    expect(needsApply(planOf([item(action, "a")]))).toBe(pending);
  });

  it("says how an unknown outcome is resolved if the service has lists", () => {
    const plan = { ...planOf([item({ action: "unknown" }, "a")]), hasLists: true };
    expect(planPage(planJson(plan)).blocks).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining("are looked up first") }),
    );
  });
});
