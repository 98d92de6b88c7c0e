import { describe, expect, it, onTestFinished } from "vitest";
import { InterruptedError } from "../../../../src/errors.ts";
import { modelOfAnswers } from "../../../../src/notify/setup/answers.ts";
import type { SetupReview } from "../../../../src/notify/setup/review.ts";
import type { Survey, TopicRoutes } from "../../../../src/notify/setup/survey.ts";
import { runWizard, type WizardInput } from "../../../../src/notify/setup/wizard/wizard.ts";
import { CTRL_C, ENTER, type ScriptedKey, scriptedPrompter } from "../../../scripted-prompter.ts";

const NO_ROUTES: TopicRoutes = { events: new Map(), destinations: new Map() };
const NOTHING_GIVEN: WizardInput = {
  destination: { metadata: {}, secrets: {} },
  topic: {},
  events: [],
  yes: false,
};
const EMPTY: Survey = { destinations: [], topics: [] };
const LISTS: Survey = {
  destinations: [
    { id: "d_1", name: "archive", type: "s3" },
    { id: "d_2", name: "pager", type: "webhook" },
  ],
  topics: [{ id: "t_1", name: "lifecycle" }],
};

interface Scene {
  readonly survey?: Survey;
  readonly routes?: TopicRoutes;
  readonly given?: Partial<WizardInput>;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Plays a script through the interview. */
function play(script: readonly (readonly [string, ScriptedKey])[], scene: Scene = {}) {
  const prompt = scriptedPrompter(script);
  const shown: SetupReview[] = [];
  const told: string[] = [];
  const { files = {}, env = {} } = scene;
  const decision = runWizard(
    {
      prompt,
      show: (page) => shown.push(page),
      tell: (text) => told.push(text),
      sources: {
        read: async (path) => files[path] ?? "",
        variable: (name) => env[name],
      },
      survey: scene.survey ?? EMPTY,
      routesOf: async () => scene.routes ?? NO_ROUTES,
    },
    { ...NOTHING_GIVEN, ...scene.given },
  );
  onTestFinished(() => prompt.verify());
  return { prompt, shown, told, decision };
}

const WEBHOOK = [
  ["Destination", "A new webhook"],
  ["Name", "ops-webhook"],
  ["URL", "https://hooks.acme.com/amp"],
] as const;
const TOPIC = [["Topic name", "customer-lifecycle"]] as const;
const EVENTS = [["Events", ["installation.created", "connection.error"]]] as const;

const ANSWERS = {
  destination: {
    kind: "new",
    name: "ops-webhook",
    type: "webhook",
    metadata: { url: "https://hooks.acme.com/amp" },
    secrets: {},
  },
  topic: { kind: "new", name: "customer-lifecycle" },
  events: ["installation.created", "connection.error"],
};

describe("the wizard", () => {
  it("asks in sequence, shows what will be created, and goes on", async () => {
    const { decision, shown } = play([...WEBHOOK, ...TOPIC, ...EVENTS, ["Go on?", "Create it"]]);
    expect(await decision).toEqual({
      action: "create",
      answers: ANSWERS,
      standing: new Map(),
    });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({
      title: "This will be created:",
      blocks: [
        {
          picture: {
            topics: [
              {
                name: "customer-lifecycle",
                note: "topic",
                events: ["installation.created", "connection.error"],
                destinations: [{ name: "ops-webhook", note: "webhook hooks.acme.com/…" }],
              },
            ],
          },
        },
        { text: "  1 destination · 1 topic · 2 event routes · 1 destination route" },
      ],
    });
  });

  it("checks answers as they are typed", async () => {
    const { decision, prompt } = play(
      [
        ["Destination", "A new webhook"],
        ["Name", "ops webhook"],
        ["Name", "pager"],
        ["Name", "ops-webhook"],
        ["URL", "http://hooks.acme.com/amp"],
        ["URL", ""],
        ["URL", "https://hooks.acme.com/amp"],
        ["Topic", "A new topic"],
        ["Name", "a".repeat(65)],
        ["Name", "lifecycle"],
        ["Name", "customer-lifecycle"],
        ...EVENTS,
        ["Go on?", "Create it"],
      ],
      { survey: LISTS },
    );
    expect((await decision).answers).toEqual(ANSWERS);
    expect(prompt.complaints).toEqual([
      "Only letters, digits and dashes.",
      "A destination of this name exists already.",
      "It must begin with https://.",
      "It must not be empty.",
      "Only letters, digits and dashes, 64 at the most.",
      "A topic of this name exists already.",
    ]);
  });

  it("offers the event types by area, each with what fires it", async () => {
    const { decision, prompt } = play([...WEBHOOK, ...TOPIC, ["Events", CTRL_C]]);
    await expect(decision).rejects.toThrow(InterruptedError);
    const groups = prompt.offered.Events?.map(({ group }) => group).filter(Boolean);
    expect(groups).toEqual([...new Set(groups)]);
    expect(groups?.[0]).toBe("Installation");
    expect(prompt.offered.Events?.[0]).toMatchObject({
      label: "installation.created",
      note: "a customer installs the integration",
    });
  });

  it("goes back to the review after a change, earlier answers kept", async () => {
    const { decision, shown } = play([
      ...WEBHOOK,
      ...TOPIC,
      ...EVENTS,
      ["Go on?", "Change something"],
      ["Change what?", "Destination"],
      ["Destination", ENTER],
      ["Name", ENTER],
      ["URL", "https://other.acme.com/amp"],
      ["Go on?", "Change something"],
      ["Change what?", "Topic"],
      ["Topic name", ENTER],
      ["Go on?", "Change something"],
      ["Change what?", "Events"],
      ["Events", ENTER],
      ["Go on?", "Create it"],
    ]);
    expect((await decision).answers).toEqual({
      ...ANSWERS,
      destination: { ...ANSWERS.destination, metadata: { url: "https://other.acme.com/amp" } },
    });
    expect(shown).toHaveLength(4);
  });

  it("takes what exists, from the lists, and makes no route twice", async () => {
    const { decision, prompt, shown } = play(
      [
        ["Destination", "One that exists"],
        ["Which one", "archive"],
        ["Topic", "One that exists"],
        ["Which one", "lifecycle"],
        ["Events", ENTER],
        ["Go on?", "Change something"],
        ["Change what?", "Events"],
        ["Events", ["connection.error", "installation.created"]],
        ["Go on?", "Create it"],
      ],
      {
        survey: LISTS,
        routes: {
          events: new Map([["installation.created", "r_1"]]),
          destinations: new Map([["d_1", "r_2"]]),
        },
      },
    );
    const { answers, standing } = await decision;
    expect(answers).toEqual({
      destination: { kind: "existing", id: "d_1", name: "archive", type: "s3" },
      topic: { kind: "existing", id: "t_1", name: "lifecycle" },
      events: ["connection.error", "installation.created"],
    });
    expect(standing).toEqual(
      new Map([
        ["event-route/lifecycle/installation.created", "r_1"],
        ["destination-route/lifecycle/archive", "r_2"],
      ]),
    );
    expect(shown[0]?.title).toBe("All of this exists already:");
    expect(shown[1]?.blocks[1]).toMatchObject({ text: "  1 event route · 2 in place already" });
    expect(prompt.offered["Which one"]).toMatchObject([{ label: "lifecycle", note: "t_1" }]);
  });

  it("does not offer to create what is there as a whole", async () => {
    const { decision, prompt } = play(
      [
        ["Events", ENTER],
        ["Go on?", "Cancel"],
      ],
      {
        survey: LISTS,
        given: { destination: { id: "d_1", metadata: {}, secrets: {} }, topic: { id: "t_1" } },
        routes: {
          events: new Map([["installation.created", "r_1"]]),
          destinations: new Map([["d_1", "r_2"]]),
        },
      },
    );
    await expect(decision).rejects.toThrow("Cancelled");
    expect(prompt.offered["Go on?"]?.map(({ label }) => label)).not.toContain("Create it");
  });

  it("asks for ids where the service has no lists", async () => {
    const { decision, prompt } = play(
      [
        ["Destination", "One that exists, by its ID"],
        ["ID", ""],
        ["ID", "d_9"],
        ["Topic", "One that exists, by its ID"],
        ["ID", "t_9"],
        ...EVENTS,
        ["Go on?", "Create it"],
      ],
      { survey: {} },
    );
    expect(await decision).toMatchObject({
      answers: {
        destination: { kind: "existing", id: "d_9", name: "d_9" },
        topic: { kind: "existing", id: "t_9", name: "t_9" },
      },
    });
    expect(prompt.complaints).toEqual(["It must not be empty."]);
  });

  it("offers nothing that exists where nothing does", async () => {
    const { decision, prompt } = play([["Destination", CTRL_C]]);
    await expect(decision).rejects.toThrow(InterruptedError);
    expect(prompt.offered.Destination?.map(({ label }) => label)).toEqual([
      "A new webhook",
      "A new destination of another type",
    ]);
  });

  it("asks only for what is not given, and again for what will not do", async () => {
    const { decision, prompt } = play(
      [
        ["Destination name", ENTER],
        ["Destination name", "ops-webhook"],
        ...EVENTS,
        ["Go on?", "Save as a file only"],
      ],
      {
        given: {
          destination: {
            name: "ops webhook",
            type: "webhook",
            metadata: { url: "https://hooks.acme.com/amp", headers: { "X-Team": "ops" } },
            secrets: {},
          },
          topic: { name: "customer-lifecycle" },
        },
      },
    );
    expect(await decision).toMatchObject({
      action: "save",
      answers: {
        destination: { name: "ops-webhook", metadata: { headers: { "X-Team": "ops" } } },
        topic: { name: "customer-lifecycle" },
      },
    });
    expect(prompt.complaints).toEqual(["Only letters, digits and dashes."]);
  });

  it("shows the review and goes on without asking where yes was said", async () => {
    const { decision, shown } = play([["Topic name", "customer-lifecycle"]], {
      given: {
        destination: ANSWERS.destination as unknown as WizardInput["destination"],
        events: ["connection.error"],
        yes: true,
      },
    });
    expect((await decision).action).toBe("create");
    expect(shown).toHaveLength(1);
  });

  it("refuses an id that is none of the listed", async () => {
    const { decision } = play([], {
      survey: LISTS,
      given: { destination: { id: "d_404", metadata: {}, secrets: {} } },
    });
    await expect(decision).rejects.toMatchObject({ exit: "not-found" });
  });

  it.each([...WEBHOOK, ...TOPIC, ...EVENTS, ["Go on?", ""]].map((_, at) => at))(
    "ends on Ctrl-C at question %i",
    async (at) => {
      const whole = [...WEBHOOK, ...TOPIC, ...EVENTS, ["Go on?", "Create it"]] as const;
      const [message] = whole[at] ?? [""];
      const { decision } = play([...whole.slice(0, at), [message, CTRL_C]]);
      await expect(decision).rejects.toThrow(InterruptedError);
    },
  );

  it("cancels", async () => {
    const { decision } = play([...WEBHOOK, ...TOPIC, ...EVENTS, ["Go on?", "Cancel"]]);
    await expect(decision).rejects.toThrow("Cancelled");
  });
});

describe("the other types", () => {
  const END = [...TOPIC, ...EVENTS, ["Go on?", "Create it"]] as const;
  const OTHER = ["Destination", "A new destination of another type"] as const;

  it("asks for a stream's fields, and for its secrets hidden", async () => {
    const { decision, prompt } = play([
      OTHER,
      ["Type", "kinesis"],
      ["Name", "ops-stream"],
      ["streamName (name of the stream)", "amp-events"],
      ["region (AWS region)", "eu-central-1"],
      ["Optional: partitionKeyTemplate, endpointUrl. Set any?", ENTER],
      ["Secrets: awsKeyId, awsSecretKey, awsSessionToken", "Typed here"],
      ["awsKeyId (AWS access key ID)", ""],
      ["awsKeyId (AWS access key ID)", "AKIA"],
      ["awsSecretKey (AWS secret access key)", "hush"],
      ["awsSessionToken (token of a temporary session; empty for none)", ""],
      ...END,
    ]);
    const { answers } = await decision;
    const part = modelOfAnswers(answers).destinations.get("ops-stream");
    expect(part).toMatchObject({
      type: "kinesis",
      metadata: { streamName: "amp-events", region: "eu-central-1" },
    });
    const secrets = part?.kind === "new" ? part.secrets : {};
    expect(Object.keys(secrets)).toEqual(["awsKeyId", "awsSecretKey"]);
    expect(secrets.awsSecretKey?.reveal()).toBe("hush");
    expect(prompt.offered.Type?.map(({ group }) => group).filter(Boolean)).toEqual([
      "Chat",
      "Queues and streams",
      "Storage and databases",
    ]);
  });

  it("takes secrets from variables, those that are set", async () => {
    const { decision, told } = play(
      [
        OTHER,
        ["Type", "clickhouse"],
        ["Name", "ch"],
        ["URL", "https://ch.example.com:8443"],
        ["username (user of the database)", "amp"],
        ["tableName (table to insert into)", "amp"],
        ["Optional: database. Set any?", true],
        ["database (database of the table)", "events"],
        ["Secrets: password", "From environment variables"],
        ["password (password of that user): variable", ENTER],
        ["password (password of that user): variable", "CH_PASSWORD"],
        ...END,
      ],
      { env: { CH_PASSWORD: "hush" } },
    );
    const { answers } = await decision;
    expect(answers.destination).toMatchObject({
      metadata: { url: "https://ch.example.com:8443", database: "events" },
      secrets: { password: { reference: { from: "env", name: "CH_PASSWORD" } } },
    });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("CLICKHOUSE_PASSWORD is not set");
  });

  it("takes keys of several lines from files, checked", async () => {
    const { decision, told } = play(
      [
        OTHER,
        ["Type", "pubsub"],
        ["Name", "ps"],
        ["projectId (Google Cloud project, not the project of amp)", "acme"],
        ["topicId (Pub/Sub topic, not a topic of amp)", "amp"],
        ["Secrets: credentials", ENTER],
        ["credentials (service account key, JSON as one string): file", "broken.json"],
        ["credentials (service account key, JSON as one string): file", ENTER],
        ...END,
      ],
      { files: { "broken.json": "{", "key.json": '{"type":"service_account"}\n' } },
    );
    expect((await decision).answers.destination).toMatchObject({
      secrets: { credentials: { reference: { from: "file", path: "key.json" } } },
    });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("broken.json");
  });

  it("makes a flag of what was given before the type was known", async () => {
    const { decision } = play(
      [
        ["Type", "rabbitmq"],
        ["Destination name", "mq"],
        ["serverUrl (address of the server)", "https://mq.example.com"],
        ["serverUrl (address of the server)", "amqps://mq.example.com"],
        ["exchange (name of the exchange)", "amp"],
        ["Secrets: username, password", "Typed here"],
        ["username (user of the server)", "amp"],
        ["password (password of that user)", "hush"],
        ...END,
      ],
      { given: { destination: { metadata: { tls: "true" }, secrets: {} } } },
    );
    expect((await decision).answers.destination).toMatchObject({ metadata: { tls: true } });
  });

  it("refuses a Slack URL on another host", async () => {
    const { decision, prompt } = play([
      OTHER,
      ["Type", "slack"],
      ["Name", "chat"],
      ["URL", "https://hooks.slack.com.evil.example/services/x"],
      ["URL", "https://hooks.slack.com/services/x"],
      ...END,
    ]);
    await decision;
    expect(prompt.complaints).toEqual(["It must begin with https://hooks.slack.com/."]);
  });

  it("asks which of the fields that stand for each other", async () => {
    const { decision } = play([
      OTHER,
      ["Type", "redshift"],
      ["Name", "rs"],
      ["region (AWS region)", "eu-central-1"],
      ["dbName (database)", "events"],
      ["tableName (table to insert into)", "amp"],
      ["One of these", "clusterIdentifier"],
      ["clusterIdentifier (cluster, for a provisioned one)", "amp-cluster"],
      ["Optional: schemaName, dbUser. Set any?", false],
      ["Secrets: accessKeyId, secretAccessKey", "Typed here"],
      ["accessKeyId (AWS access key ID)", "AKIA"],
      ["secretAccessKey (AWS secret access key)", "hush"],
      ...END,
    ]);
    expect((await decision).answers.destination).toMatchObject({
      metadata: { clusterIdentifier: "amp-cluster" },
    });
  });

  it("takes a type that it does not know, with metadata as JSON", async () => {
    const { decision, prompt } = play([
      OTHER,
      ["Type", "another"],
      ["Name of the type", "carrier-pigeon"],
      ["Name", "loft"],
      ["Metadata, as a JSON object", "[]"],
      ["Metadata, as a JSON object", '{"loft":3}'],
      ...END,
    ]);
    expect((await decision).answers.destination).toMatchObject({
      type: "carrier-pigeon",
      metadata: { loft: 3 },
    });
    expect(prompt.complaints).toEqual(["It must be a JSON object."]);
  });

  it("keeps the secrets when something else is changed", async () => {
    const { decision } = play([
      OTHER,
      ["Type", "azureservicebus"],
      ["Name", "bus"],
      ["name (name of the queue or topic)", "amp"],
      ["Secrets: connectionString", "Typed here"],
      ["connectionString (connection string of the namespace)", "hush"],
      ...TOPIC,
      ...EVENTS,
      ["Go on?", "Change something"],
      ["Change what?", "Destination"],
      ["Destination", ENTER],
      ["Type", ENTER],
      ["Name", "bus-2"],
      ["name (name of the queue or topic)", ENTER],
      ["Secrets: connectionString", ENTER],
      ["Go on?", "Create it"],
    ]);
    const { destination } = (await decision).answers;
    expect(destination.name).toBe("bus-2");
    expect(destination.kind === "new" && destination.secrets.connectionString?.reveal()).toBe(
      "hush",
    );
  });
});
