import { describe, expect, it, onTestFinished } from "vitest";
import { EVENT_TYPES } from "../../../../src/api/catalogue/events.ts";
import { InterruptedError } from "../../../../src/errors.ts";
import type { RoutingModel } from "../../../../src/notify/model/routing.ts";
import type { LiveRouting } from "../../../../src/notify/plan/live.ts";
import { needsApply } from "../../../../src/notify/plan/plan.ts";
import {
  type AnswersSoFar,
  modelOfAnswers,
  type SetupAnswers,
} from "../../../../src/notify/setup/answers.ts";
import { setupCommand } from "../../../../src/notify/setup/result.ts";
import { askWithBack, type GivenAnswers } from "../../../../src/notify/setup/wizard/context.ts";
import {
  askAnswers,
  askChange,
  OtherChoice,
  reviewAnswers,
} from "../../../../src/notify/setup/wizard/wizard.ts";
import { Secret } from "../../../../src/secrets/secret.ts";
import type { Page } from "../../../../src/view/view.ts";
import {
  BACK,
  CTRL_C,
  ENTER,
  type ScriptedKey,
  scriptedPrompter,
} from "../../../scripted-prompter.ts";
import { makePlan, seen } from "../../plan/seen.ts";

const CONSENT = "Create these?";
const NOTHING_GIVEN: GivenAnswers = { metadata: {}, secrets: {}, event: [] };
const EMPTY: LiveRouting = {
  destination: [],
  topic: [],
  "event-route": [],
  "destination-route": [],
};
const LISTS: LiveRouting = {
  ...EMPTY,
  destination: [
    { id: "d_1", name: "archive", type: "s3" },
    { id: "d_2", name: "pager", type: "webhook" },
  ],
  topic: [{ id: "t_1", name: "lifecycle" }],
};
const ROUTED: LiveRouting = {
  ...LISTS,
  "event-route": [
    { id: "r_1", topicId: "t_1", eventType: "installation.created" },
    { id: "r_3", topicId: "t_9", eventType: "connection.created" },
  ],
  "destination-route": [{ id: "r_2", topicId: "t_1", destinationId: "d_1" }],
};

const NEW =
  "amp notify setup --destination-name ops-webhook --destination-type webhook --url https://hooks.acme.com/amp";

interface Scene {
  /** What the service lists; `none` for one without lists. */
  readonly live?: LiveRouting | "none";
  readonly given?: Partial<GivenAnswers>;
  readonly allow?: readonly string[];
  readonly yes?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Plays a script through the wizard, until its plan would be applied, or its routing saved. */
function play(script: readonly (readonly [string, ScriptedKey])[], scene: Scene = {}) {
  const prompt = scriptedPrompter(script);
  const shown: Page[] = [];
  const warnings: string[] = [];
  const { files = {}, env = {}, live: listed = EMPTY, yes = false } = scene;
  const live = listed === "none" ? undefined : listed;
  const given = { ...NOTHING_GIVEN, ...scene.given };
  let soFar: AnswersSoFar = {};
  const ports = {
    prompt,
    yes,
    report: {
      notice: () => {},
      page: (page: Page) => shown.push(page),
      warn: (text: string) => warnings.push(text),
    },
    files: {
      read: async (path: string) => files[path] ?? "",
      variable: (name: string) => env[name],
    },
    live,
    allow: scene.allow ?? [],
  };
  const decision = askWithBack(ports, given, async (asked) => {
    try {
      let answers = await askAnswers(asked, given);
      for (;;) {
        const end = await reviewed(asked, answers, live);
        if (end !== "change") return { action: end, model: modelOfAnswers(answers, undefined) };
        answers = await askChange(asked, { answers });
      }
    } finally {
      soFar = asked.soFar();
    }
  });
  onTestFinished(() => prompt.verify());
  return {
    prompt,
    shown,
    warnings,
    decision,
    answers: () => decision.then(answersIn),
    command: () => setupCommand(soFar)?.command.line(),
  };
}

async function reviewed(
  asked: Parameters<typeof reviewAnswers>[0],
  answers: SetupAnswers,
  live: LiveRouting | undefined,
) {
  const model = modelOfAnswers(answers, undefined);
  const plan = makePlan({ model, state: undefined, seen: seen(live) });
  try {
    if (needsApply(plan)) await reviewAnswers(asked, plan, model, answers);
    return "create";
  } catch (error) {
    if (error instanceof OtherChoice) return error.choice;
    throw error;
  }
}

/** What the routing of a decision has of each answer. */
function answersIn({ model }: { readonly model: RoutingModel }) {
  const [[name, destination] = []] = model.destinations;
  const [[topic, { id, events } = {}] = []] = model.topics;
  return { destination: { name, ...destination }, topic: { name: topic, id }, events };
}

const NO_HEADERS = ["Add headers, such as Authorization?", ENTER] as const;
const WEBHOOK = [
  ["Destination", "New webhook"],
  ["Destination name", "ops-webhook"],
  ["URL", "https://hooks.acme.com/amp"],
  NO_HEADERS,
] as const;
const TOPIC = [["Topic name", "customer-lifecycle"]] as const;
const EVENTS = [["Event types", ["installation.created", "connection.error"]]] as const;

const ANSWERS = {
  destination: {
    kind: "new",
    name: "ops-webhook",
    type: "webhook",
    metadata: { url: "https://hooks.acme.com/amp" },
    secrets: {},
  },
  topic: { name: "customer-lifecycle", id: undefined },
  events: ["installation.created", "connection.error"],
};

/** The blocks of a page that are shown: those without rows are left out. */
const contentOf = (page: Page | undefined) =>
  page?.blocks.filter((block) => !("rows" in block) || block.rows.length > 0);

describe("the wizard", () => {
  it("asks in sequence, and shows the plan", async () => {
    const { decision, answers, shown } = play([
      ...WEBHOOK,
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Create"],
    ]);
    expect((await decision).action).toBe("create");
    expect(await answers()).toEqual(ANSWERS);
    expect(shown).toHaveLength(1);
    expect(contentOf(shown[0])).toMatchObject([
      {
        picture: {
          topics: [
            {
              name: "customer-lifecycle",
              note: "topic",
              events: ["installation.created", "connection.error"],
              destinations: [{ name: "ops-webhook", note: "webhook hooks.acme.com/amp" }],
            },
          ],
        },
      },
    ]);
  });

  it("checks answers as they are typed", async () => {
    const { prompt, answers } = play(
      [
        ["Destination", "New webhook"],
        ["Destination name", "ops webhook"],
        ["Destination name", "pager"],
        ["Destination pager exists already. Use it?", false],
        ["Destination name", "ops-webhook"],
        ["URL", "hooks.acme.com/amp"],
        ["URL", ""],
        ["URL", "https://hooks.acme.com/amp"],
        NO_HEADERS,
        ["Topic", "New topic"],
        ["Topic name", "a".repeat(65)],
        ["Topic name", "customer-lifecycle"],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      { live: LISTS },
    );
    expect(await answers()).toEqual(ANSWERS);
    expect(prompt.complaints).toEqual([
      "Only letters, digits and dashes are allowed",
      "URL must begin with https://",
      "Required",
      "Only letters, digits and dashes are allowed, at most 64 characters",
    ]);
  });

  it("selects the existing destination whose name is typed for a new one", async () => {
    const { answers } = play(
      [
        ["Destination", "New webhook"],
        ["Destination name", "pager"],
        ["Destination pager exists already. Use it?", ENTER],
        ["Topic", "New topic"],
        ["Topic name", "customer-lifecycle"],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      { live: LISTS },
    );
    const [pager] = LISTS.destination.filter(({ name }) => name === "pager");
    expect((await answers()).destination).toMatchObject({ kind: "existing", id: pager?.id });
  });

  it("offers the event types by area, each with what fires it", async () => {
    const { decision, prompt } = play([...WEBHOOK, ...TOPIC, ["Event types", CTRL_C]]);
    await expect(decision).rejects.toThrow(InterruptedError);
    const groups = prompt.offered["Event types"]?.map(({ group }) => group).filter(Boolean);
    expect(groups).toEqual([...new Set(groups)]);
    expect(groups?.[0]).toBe("Installation");
    expect(prompt.offered["Event types"]?.[0]).toMatchObject({
      label: "installation.created",
      note: "a customer installs the integration",
    });
  });

  it("returns to the review after a change, with the earlier answers", async () => {
    const { shown, answers } = play([
      ...WEBHOOK,
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Change something"],
      ["What do you want to change?", "Destination"],
      ["Destination", ENTER],
      ["Destination name", ENTER],
      ["URL", "https://other.acme.com/amp"],
      NO_HEADERS,
      [CONSENT, "Change something"],
      ["What do you want to change?", "Topic"],
      ["Topic name", ENTER],
      [CONSENT, "Change something"],
      ["What do you want to change?", "Event types"],
      ["Event types", ENTER],
      [CONSENT, "Create"],
    ]);
    expect(await answers()).toEqual({
      ...ANSWERS,
      destination: { ...ANSWERS.destination, metadata: { url: "https://other.acme.com/amp" } },
    });
    expect(shown).toHaveLength(4);
  });

  it("offers existing resources, and routes nothing twice", async () => {
    const { prompt, shown, answers } = play(
      [
        ["Destination", "Existing destination"],
        ["Select a destination", "archive"],
        ["Topic", "Existing topic"],
        ["Select a topic", "lifecycle"],
        ["Event types", ["connection.error", "installation.created"]],
        [CONSENT, "Create"],
      ],
      { live: ROUTED },
    );
    expect(await answers()).toEqual({
      destination: { kind: "existing", id: "d_1", name: "archive", type: "s3" },
      topic: { name: "lifecycle", id: "t_1" },
      events: ["connection.error", "installation.created"],
    });
    expect(shown[0]?.title).toBe("1 to create, 2 to adopt, 2 unchanged");
    expect(prompt.offered["Select a topic"]).toMatchObject([{ label: "lifecycle", note: "t_1" }]);
  });

  it("draws the whole chain of an existing topic, marks what is new, and says what still arrives", async () => {
    const { decision, shown } = play(
      [
        ["Event types", ["connection.error"]],
        [CONSENT, "Create"],
      ],
      { live: ROUTED, given: { destinationId: "d_2", topic: "lifecycle" } },
    );
    await decision;
    expect(shown[0]?.blocks.slice(0, 2)).toEqual([
      {
        kind: "routing",
        picture: {
          topics: [
            {
              name: "lifecycle",
              note: "existing topic",
              events: ["+ connection.error", "installation.created"],
              destinations: [
                { name: "pager", note: "existing webhook, new route" },
                { name: "archive", note: "existing s3" },
              ],
            },
          ],
        },
      },
      {
        kind: "text",
        tone: "attention",
        text:
          "Already routed to lifecycle, and still delivered: installation.created\n" +
          "Also receiving the new events: archive",
      },
    ]);
  });

  it("marks nothing where everything is new, and nothing of an existing chain that is asked for", async () => {
    const fresh = play([...WEBHOOK, ...TOPIC, ...EVENTS, [CONSENT, "Create"]]);
    await fresh.decision;
    expect(JSON.stringify(fresh.shown[0]?.blocks[0])).not.toContain("+ ");
  });

  it("chooses Create first, which deletes nothing, and all events by one row", async () => {
    const { decision, prompt, answers } = play([
      ...WEBHOOK,
      ...TOPIC,
      ["Event types", `all ${EVENT_TYPES.length} events`],
      [CONSENT, ENTER],
    ]);
    expect((await decision).action).toBe("create");
    expect((await answers()).events).toEqual(EVENT_TYPES);
    expect(prompt.offered[CONSENT]?.map(({ label }) => label)).toEqual([
      "Create",
      "Change something",
      "Save to a file only",
      "Cancel",
    ]);
  });

  it("asks for IDs if the service has no lists", async () => {
    const { prompt, answers } = play(
      [
        ["Destination", "Existing destination (by ID)"],
        ["Destination ID", ""],
        ["Destination ID", "d_9"],
        ["Topic", "Existing topic (by ID)"],
        ["Topic ID", "t_9"],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      { live: "none" },
    );
    expect(await answers()).toMatchObject({
      destination: { kind: "existing", id: "d_9", name: "d_9" },
      topic: { id: "t_9", name: "t_9" },
    });
    expect(prompt.complaints).toEqual(["Required"]);
  });

  it("offers no existing resources if there are none", async () => {
    const { decision, prompt } = play([["Destination", CTRL_C]]);
    await expect(decision).rejects.toThrow(InterruptedError);
    expect(prompt.offered.Destination?.map(({ label }) => label)).toEqual([
      "New webhook",
      "New destination of another type",
    ]);
  });

  it("asks only for what is missing or invalid", async () => {
    const { decision, prompt, answers } = play(
      [["Destination name", ENTER], ...EVENTS, [CONSENT, "Save to a file only"]],
      {
        given: {
          destinationName: "ops webhook",
          destinationType: "webhook",
          metadata: { url: "https://hooks.acme.com/amp", headers: { "X-Team": "ops" } },
          topic: "customer-lifecycle",
        },
      },
    );
    expect((await decision).action).toBe("save");
    expect(await answers()).toMatchObject({
      destination: { name: "ops-webhook", metadata: { headers: { "X-Team": "ops" } } },
      topic: { name: "customer-lifecycle" },
    });
    expect(prompt.complaints).toEqual([]);
  });

  it.each([
    ["a name", { destinationName: "rx" }, { name: "rx" }],
    ["a URL", { metadata: { url: "https://a.test/" } }, { metadata: { url: "https://a.test/" } }],
  ])(
    "offers a webhook, and nothing that exists, for a destination of which it knows %s",
    async (_what, given, expected) => {
      const isNamed = "destinationName" in given;
      const { answers, prompt } = play(
        [
          ["Destination", "New webhook"],
          ...(isNamed
            ? ([["URL", "https://a.test/"], NO_HEADERS] as const)
            : ([["Destination name", "rx"]] as const)),
          ...TOPIC,
          ...EVENTS,
          [CONSENT, "Create"],
        ],
        { live: { ...LISTS, topic: [] }, given },
      );
      expect((await answers()).destination).toMatchObject({ type: "webhook", ...expected });
      expect(prompt.offered.Destination?.map(({ label }) => label)).toEqual([
        "New webhook",
        "New destination of another type",
      ]);
    },
  );

  it("shows the plan without a question with --yes", async () => {
    const { decision, shown } = play([["Topic name", "customer-lifecycle"]], {
      given: {
        destinationName: "ops-webhook",
        destinationType: "webhook",
        metadata: ANSWERS.destination.metadata,
        event: ["connection.error"],
      },
      yes: true,
    });
    expect((await decision).action).toBe("create");
    expect(shown).toHaveLength(1);
  });

  it("says that an ID is not listed, and asks for what it was to select", async () => {
    const { answers, warnings } = play(
      [
        ["Destination", "Existing destination"],
        ["Select a destination", "pager"],
        ["Topic", "Existing topic"],
        ["Select a topic", "lifecycle"],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      { live: LISTS, given: { destinationId: "d_404", topicId: "t_404" } },
    );
    expect(await answers()).toMatchObject({ destination: { id: "d_2" }, topic: { id: "t_1" } });
    expect(warnings).toEqual(['No destination matches "d_404"', 'No topic matches "t_404"']);
  });

  it.each([
    ["given as an option", [], { topic: "lifecycle" }],
    [
      "typed",
      [
        ["Topic", "New topic"],
        ["Topic name", "lifecycle"],
        ["Topic lifecycle exists already. Use it?", ENTER],
      ],
      {},
    ],
  ] as const)("adopts a topic whose name is %s, with its routes", async (_how, topic, given) => {
    const { prompt, answers, shown } = play([...topic, ["Event types", ENTER]], {
      live: ROUTED,
      given: { destinationName: "archive", ...given },
    });
    expect((await answers()).topic).toMatchObject({ name: "lifecycle" });
    expect(prompt.complaints).toEqual([]);
    expect(prompt.offered["Event types"]?.[0]).toMatchObject({
      label: "installation.created",
      note: expect.stringContaining("already routed"),
    });
    // Nothing would change at the service.
    expect(shown).toEqual([]);
  });

  it("asks for another name where the topic that exists is not meant", async () => {
    const { answers } = play(
      [
        ["Topic", "New topic"],
        ["Topic name", "lifecycle"],
        ["Topic lifecycle exists already. Use it?", false],
        ["Topic name", "other"],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      { live: ROUTED, given: { destinationName: "archive" } },
    );
    expect((await answers()).topic).toEqual({ name: "other", id: undefined });
  });

  it("uses a destination that exists under the given name, whatever its type and fields", async () => {
    const { answers } = play([...TOPIC, ...EVENTS, [CONSENT, "Create"]], {
      live: { ...LISTS, topic: [] },
      given: { destinationName: "archive" },
    });
    expect((await answers()).destination).toEqual({
      kind: "existing",
      id: "d_1",
      name: "archive",
      type: "s3",
    });
  });

  it("suggests names that are free, which Enter takes", async () => {
    const taken = (name: string) => ({ id: `id-${name}`, name });
    const { answers } = play(
      [
        ["Destination", "New webhook"],
        ["Destination name", ENTER],
        ["URL", "https://a.test/"],
        NO_HEADERS,
        ["Topic", "New topic"],
        ["Topic name", ENTER],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      { live: { ...EMPTY, destination: [taken("ops-webhook")], topic: [taken("ops-event")] } },
    );
    expect(await answers()).toMatchObject({
      destination: { name: "ops-webhook-2" },
      topic: { name: "ops-events" },
    });
  });

  it("says why a given value is refused, and does not suggest it", async () => {
    const { answers, warnings } = play(
      [
        ["Destination name", "ops-webhook"],
        ["URL", ENTER],
        ["URL", "https://hooks.acme.com/amp"],
        NO_HEADERS,
        ["Topic name", "customer-lifecycle"],
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      {
        given: {
          destinationName: "ops webhook",
          destinationType: "webhook",
          metadata: { url: "hooks.acme.com/amp" },
          topic: "customer lifecycle",
        },
      },
    );
    expect(await answers()).toEqual(ANSWERS);
    expect(warnings).toEqual([
      '--destination-name "ops webhook": Only letters, digits and dashes are allowed',
      "--url must begin with https://",
      '--topic "customer lifecycle": Only letters, digits and dashes are allowed, at most 64 characters',
    ]);
  });

  it("draws many event types as one, and lists only what a drawing does not tell", async () => {
    const many = ["Event types", EVENT_TYPES] as const;
    const all = play([...WEBHOOK, ...TOPIC, many, [CONSENT, "Create"]]);
    await all.decision;
    expect(contentOf(all.shown[0])).toMatchObject([
      { picture: { topics: [{ events: [`${EVENT_TYPES.length} event types`] }] } },
      { kind: "text", text: EVENT_TYPES.join(", ") },
    ]);
    expect(all.shown[0]?.title).toBe(`${EVENT_TYPES.length + 3} to create`);
    const some = EVENT_TYPES.slice(0, 8);
    const joined = play(
      [
        ["Destination", "Existing destination"],
        ["Select a destination", "pager"],
        ["Topic", "New topic"],
        ["Topic name", "lifecycle"],
        ["Topic lifecycle exists already. Use it?", ENTER],
        ["Event types", some],
        [CONSENT, "Create"],
      ],
      { live: { ...LISTS, topic: [{ id: "t_1", name: "lifecycle" }] } },
    );
    await joined.decision;
    expect(contentOf(joined.shown[0])).toMatchObject([
      { picture: { topics: [{ events: some.map((event) => `+ ${event}`) }] } },
    ]);
    expect(joined.shown[0]?.title).toBe("9 to create, 2 unchanged");
  });

  it("takes a URL without TLS only where that is allowed, with a warning in the words of a file", async () => {
    const warning = "metadata.url of a webhook destination must begin with https://";
    const url = "http://hooks.acme.com/amp";
    const rest = [...TOPIC, ...EVENTS, [CONSENT, "Create"]] as const;
    const typed = play(
      [
        ...WEBHOOK.slice(0, 2),
        ["URL", url],
        ["Add headers, such as Authorization?", BACK],
        ["URL", ENTER],
        NO_HEADERS,
        ...rest,
      ],
      { allow: ["http"] },
    );
    expect((await typed.answers()).destination).toMatchObject({ metadata: { url } });
    // Once for each time that it was typed; the review has it when it has scrolled away.
    expect(typed.warnings).toEqual([warning, warning]);
    expect(typed.shown.at(-1)?.blocks).toContainEqual({
      kind: "text",
      tone: "attention",
      text: warning,
    });
    const given = { destinationName: "ops", destinationType: "webhook", metadata: { url } };
    const option = play(rest, { given, allow: ["http"] });
    expect((await option.answers()).destination).toMatchObject({ metadata: { url } });
    expect(option.warnings).toEqual([warning]);
  });

  it("asks for headers, keeps them on a change, and replaces them as a whole", async () => {
    const { answers, prompt, shown } = play([
      ...WEBHOOK.slice(0, 3),
      ["Add headers, such as Authorization?", true],
      ["Header name", "a b"],
      ["Header name", "Authorization"],
      ["Value of Authorization", ""],
      ["Value of Authorization", "Bearer hush"],
      ["Add another header?", true],
      ["Header name", "X-Team"],
      ["Value of X-Team", "ops"],
      ["Add another header?", ENTER],
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Change something"],
      ["What do you want to change?", "Destination"],
      ["Destination", ENTER],
      ["Destination name", ENTER],
      ["URL", ENTER],
      ["Replace the headers (Authorization, X-Team)?", ENTER],
      [CONSENT, "Change something"],
      ["What do you want to change?", "Destination"],
      ["Destination", ENTER],
      ["Destination name", ENTER],
      ["URL", ENTER],
      ["Replace the headers (Authorization, X-Team)?", true],
      ["Header name", "X-Team"],
      ["Value of X-Team", "billing"],
      ["Add another header?", ENTER],
      [CONSENT, "Create"],
    ]);
    expect((await answers()).destination).toMatchObject({
      metadata: { url: "https://hooks.acme.com/amp", headers: { "X-Team": "billing" } },
    });
    const reviewed = shown.map(({ blocks }) => JSON.stringify(blocks));
    expect(reviewed[0]).toContain("Headers of ops-webhook: Authorization, X-Team (values hidden)");
    expect(reviewed.at(-1)).toContain("Headers of ops-webhook: X-Team (values hidden)");
    expect(reviewed.join()).not.toMatch(/hush|billing/u);
    expect(prompt.complaints).toEqual([
      "Letters, digits and dashes, for example X-Team",
      "Required",
    ]);
  });

  it.each([
    [0, "amp notify setup"],
    [1, "amp notify setup --destination-type webhook"],
    [2, "amp notify setup --destination-name ops-webhook --destination-type webhook"],
    [3, NEW],
    [4, NEW],
    [5, `${NEW} --topic customer-lifecycle`],
    [6, `${NEW} --topic customer-lifecycle --event installation.created --event connection.error`],
  ])("keeps on Ctrl-C at question %i what was answered, as a command", async (at, command) => {
    const whole = [...WEBHOOK, ...TOPIC, ...EVENTS, [CONSENT, "Create"]] as const;
    const [message] = whole[at] ?? [""];
    const played = play([...whole.slice(0, at), [message, CTRL_C]]);
    await expect(played.decision).rejects.toThrow(InterruptedError);
    expect(played.command()).toBe(command);
  });

  it("can be cancelled", async () => {
    const { decision } = play([...WEBHOOK, ...TOPIC, ...EVENTS, [CONSENT, "Cancel"]]);
    await expect(decision).rejects.toThrow("Cancelled");
  });
});

describe("Esc in the wizard", () => {
  it("returns to the question before, with what was answered", async () => {
    const { prompt, answers, shown } = play([
      ...WEBHOOK,
      ["Topic name", BACK],
      ["Add headers, such as Authorization?", BACK],
      ["URL", BACK],
      ["Destination name", BACK],
      ["Destination", ENTER],
      ["Destination name", ENTER],
      ["URL", ENTER],
      NO_HEADERS,
      ...TOPIC,
      ...EVENTS,
      [CONSENT, BACK],
      ["Event types", ENTER],
      [CONSENT, "Create"],
    ]);
    expect(await answers()).toEqual(ANSWERS);
    expect(prompt.complaints).toEqual([]);
    expect(shown).toHaveLength(2);
  });

  it("returns from a change to the review, and asks nothing that was not undone", async () => {
    const { answers, shown } = play([
      ...WEBHOOK,
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Change something"],
      ["What do you want to change?", "Topic"],
      ["Topic name", "other"],
      [CONSENT, BACK],
      ["Topic name", BACK],
      ["What do you want to change?", BACK],
      [CONSENT, "Create"],
    ]);
    expect(await answers()).toEqual(ANSWERS);
    expect(shown).toHaveLength(3);
  });

  it("says a refusal once, however often a later question is returned from", async () => {
    const { answers, warnings } = play(
      [
        ["Destination name", "ops-webhook"],
        ...TOPIC,
        ["Event types", BACK],
        ...TOPIC,
        ...EVENTS,
        [CONSENT, "Create"],
      ],
      {
        given: {
          destinationName: "ops webhook",
          destinationType: "webhook",
          metadata: ANSWERS.destination.metadata,
        },
      },
    );
    expect(await answers()).toEqual(ANSWERS);
    expect(warnings).toHaveLength(1);
  });

  it("ticks for another topic what that one has, and what was ticked by hand", async () => {
    const route = (id: string, topicId: string, eventType: string) => ({ id, topicId, eventType });
    const live: LiveRouting = {
      ...LISTS,
      topic: [...LISTS.topic, { id: "t_2", name: "health" }],
      "event-route": [
        route("r_1", "t_1", "installation.created"),
        route("r_2", "t_2", "connection.error"),
      ],
    };
    const [ours, ticked] = ["installation.created", "connection.created"];
    const { answers } = play(
      [
        ["Destination", "Existing destination"],
        ["Select a destination", "pager"],
        ["Topic", "Existing topic"],
        ["Select a topic", "lifecycle"],
        ["Event types", [ours, ticked]],
        ["Create these?", BACK],
        ["Event types", BACK],
        ["Select a topic", "health"],
        ["Event types", ENTER],
        ["Create these?", "Change something"],
        ["What do you want to change?", "Topic"],
        ["Topic", "New topic"],
        ["Topic name", "fresh"],
        ["Event types", ENTER],
        ["Create these?", "Create"],
      ],
      { live },
    );
    expect((await answers()).events).toEqual([ticked]);
  });

  it("suggests a name for the type that is chosen now, unless another was typed", async () => {
    const { decision } = play([
      ["Destination", "New webhook"],
      ["Destination name", ENTER],
      ["URL", BACK],
      ["Destination name", BACK],
      ["Destination", "New destination of another type"],
      ["Destination type", "slack"],
      ["Destination name", ENTER],
      ["URL", "https://hooks.slack.com/services/T/B/x"],
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Create"],
    ]);
    expect([...(await decision).model.destinations.keys()]).toEqual(["ops-slack"]);
  });

  it("finds the type again that amp does not know", async () => {
    const { answers } = play([
      ["Destination", "New destination of another type"],
      ["Destination type", "Other"],
      ["Type name", BACK],
      ["Destination type", ENTER],
      ["Type name", "carrier-pigeon"],
      ["Destination name", "loft"],
      ["Metadata (a JSON object)", "{}"],
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Create"],
    ]);
    expect((await answers()).destination).toMatchObject({ type: "carrier-pigeon" });
  });

  it("does nothing at the first question", async () => {
    await expect(play([["Destination", BACK]]).decision).rejects.toThrow("no way back");
  });
});

describe("the wizard, for other types of destination,", () => {
  const END = [...TOPIC, ...EVENTS, [CONSENT, "Create"]] as const;
  const OTHER = ["Destination", "New destination of another type"] as const;

  it("asks for a stream's fields, and for its secrets hidden", async () => {
    const { decision, prompt } = play([
      OTHER,
      ["Destination type", "kinesis"],
      ["Destination name", "ops-stream"],
      ["Stream name", "amp-events"],
      ["Region", "eu-central-1"],
      ["Set optional fields (Partition key template, Endpoint URL)?", ENTER],
      ["Secrets (AWS access key ID and 2 more)", "Type them here"],
      ["AWS access key ID", ""],
      ["AWS access key ID", "AKIA"],
      ["AWS secret access key", "hush"],
      ["AWS session token (optional)", ""],
      ...END,
    ]);
    const part = (await decision).model.destinations.get("ops-stream");
    expect(part).toMatchObject({
      type: "kinesis",
      metadata: { streamName: "amp-events", region: "eu-central-1" },
    });
    const secrets = part?.kind === "new" ? part.secrets : {};
    expect(Object.keys(secrets)).toEqual(["awsKeyId", "awsSecretKey"]);
    expect(secrets.awsSecretKey?.reveal()).toBe("hush");
    expect(prompt.offered["Destination type"]?.map(({ group }) => group).filter(Boolean)).toEqual([
      "Chat",
      "Queues and streams",
      "Storage and databases",
    ]);
  });

  it("takes secrets from variables that are set", async () => {
    const { answers, warnings } = play(
      [
        OTHER,
        ["Destination type", "clickhouse"],
        ["Destination name", "ch"],
        ["URL", "https://ch.example.com:8443"],
        ["Username", "amp"],
        ["Table name", "amp"],
        ["Set optional fields (Database)?", true],
        ["Database", "events"],
        ["Secrets (Password)", "Environment variables"],
        ["Password: environment variable", ENTER],
        ["Password: environment variable", "CH_PASSWORD"],
        ...END,
      ],
      { env: { CH_PASSWORD: "hush" } },
    );
    expect((await answers()).destination).toMatchObject({
      metadata: { url: "https://ch.example.com:8443", database: "events" },
      secrets: { password: { reference: { from: "env", name: "CH_PASSWORD" } } },
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("CLICKHOUSE_PASSWORD is not set");
  });

  it("takes keys of several lines from files, and checks them", async () => {
    const { warnings, answers } = play(
      [
        OTHER,
        ["Destination type", "pubsub"],
        ["Destination name", "ps"],
        ["Google Cloud project ID", "acme"],
        ["Pub/Sub topic ID", "amp"],
        ["Secrets (Service account key (JSON))", ENTER],
        ["Service account key (JSON): file", "broken.json"],
        ["Service account key (JSON): file", ENTER],
        ...END,
      ],
      { files: { "broken.json": "{", "key.json": '{"type":"service_account"}\n' } },
    );
    expect((await answers()).destination).toMatchObject({
      secrets: { credentials: { reference: { from: "file", path: "key.json" } } },
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("broken.json");
  });

  it("asks again for a given secret that the type would refuse", async () => {
    const { warnings, answers } = play(
      [
        ["Destination name", "ps"],
        ["Secrets (Service account key (JSON))", "Files"],
        ["Service account key (JSON): file", "key.json"],
        ...END,
      ],
      {
        given: {
          destinationType: "pubsub",
          metadata: { projectId: "acme", topicId: "amp" },
          secrets: { credentials: new Secret("not-json") },
        },
        files: { "key.json": "{}" },
      },
    );
    expect((await answers()).destination).toMatchObject({
      secrets: { credentials: { reference: { from: "file", path: "key.json" } } },
    });
    expect(warnings).toEqual([expect.stringMatching(/^--secret credentials must be JSON/u)]);
    expect(warnings[0]).not.toContain("not-json");
  });

  it("converts a flag that was given before the type was known", async () => {
    const { answers } = play(
      [
        ["Destination type", "rabbitmq"],
        ["Destination name", "mq"],
        ["Server URL", "https://mq.example.com"],
        ["Server URL", "amqps://mq.example.com"],
        ["Exchange", "amp"],
        ["Secrets (Username, Password)", "Type them here"],
        ["Username", "amp"],
        ["Password", "hush"],
        ...END,
      ],
      { given: { metadata: { tls: "true" } } },
    );
    expect((await answers()).destination).toMatchObject({ metadata: { tls: true } });
  });

  it("refuses a Slack URL on another host", async () => {
    const { decision, prompt } = play([
      OTHER,
      ["Destination type", "slack"],
      ["Destination name", "chat"],
      ["URL", "https://hooks.slack.com.evil.example/services/x"],
      ["URL", "https://hooks.slack.com/services/x"],
      ...END,
    ]);
    await decision;
    expect(prompt.complaints).toEqual(["URL must begin with https://hooks.slack.com/"]);
  });

  it("asks which of two alternative fields to set", async () => {
    const { answers } = play([
      OTHER,
      ["Destination type", "redshift"],
      ["Destination name", "rs"],
      ["Region", "eu-central-1"],
      ["Database", "events"],
      ["Table name", "amp"],
      ["Select one of these fields", "Cluster identifier"],
      ["Cluster identifier", "amp-cluster"],
      ["Set optional fields (Schema name, Database user)?", false],
      ["Secrets (Access key ID, Secret access key)", "Type them here"],
      ["Access key ID", "AKIA"],
      ["Secret access key", "hush"],
      ...END,
    ]);
    expect((await answers()).destination).toMatchObject({
      metadata: { clusterIdentifier: "amp-cluster" },
    });
  });

  it("takes an unknown type, with metadata as JSON", async () => {
    const { prompt, answers } = play([
      OTHER,
      ["Destination type", "Other"],
      ["Type name", "carrier-pigeon"],
      ["Destination name", "loft"],
      ["Metadata (a JSON object)", "[]"],
      ["Metadata (a JSON object)", '{"loft":3}'],
      ...END,
    ]);
    expect((await answers()).destination).toMatchObject({
      type: "carrier-pigeon",
      metadata: { loft: 3 },
    });
    expect(prompt.complaints).toEqual(["Not a valid JSON object"]);
  });

  it("keeps the secrets when something else changes", async () => {
    const { decision } = play([
      OTHER,
      ["Destination type", "azureservicebus"],
      ["Destination name", "bus"],
      ["Queue or topic name", "amp"],
      ["Secrets (Connection string)", "Type them here"],
      ["Connection string", "hush"],
      ...TOPIC,
      ...EVENTS,
      [CONSENT, "Change something"],
      ["What do you want to change?", "Destination"],
      ["Destination", ENTER],
      ["Destination type", ENTER],
      ["Destination name", "bus-2"],
      ["Queue or topic name", ENTER],
      ["Secrets (Connection string)", ENTER],
      [CONSENT, "Create"],
    ]);
    const destination = (await decision).model.destinations.get("bus-2");
    expect(destination?.kind === "new" && destination.secrets.connectionString?.reveal()).toBe(
      "hush",
    );
  });
});
