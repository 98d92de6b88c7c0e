import { describe, expect, it } from "vitest";
import { EXPLAINED_WORDS } from "../../src/ui/fields.ts";
import { run, sandboxAt } from "../harness.ts";

interface Explained {
  readonly path: string;
  readonly fields?: readonly { readonly path: string }[];
}

describe("amp explain", () => {
  it("lists the event types that begin with a text", async () => {
    const { code, stderr } = await run(["explain", "Read.Triggered"]);
    expect(code).toBe(3);
    expect(stderr).toContain("Event types: read.triggered.done, read.triggered.error.");
    expect(stderr).toContain("Try: amp explain read.triggered.done");
  });

  it("says type, values, meaning, source and commands of a field", async () => {
    const { code, stdout, stderr } = await run(["explain", "installation.connection.status"], {
      tty: true,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "[1minstallation.connection.status[22m                                            [2mstring[22m

      Whether the credentials work: working, created (not used yet), bad_credentials
      (rejected by the provider).

      [2mValues  [22m  created, working, bad_credentials; the service may send others
      [2mPresent [22m  may be missing
      [2mSource  [22m  API specification, part 2.3
      [2mShown by[22m  amp installations list
                amp installations get

      [1mPrint only this field[22m
        amp installations list --json --fields connection.status
      "
    `);
  });

  it.each([
    ["health", "installation.healthStatus"],
    ["last-op", "installation.lastOperationStatus"],
    ["customer", "installation.group"],
    ["not selected", "installation.config.content.read.objects.*.selectedFields"],
  ])("finds the field of %j, a word of the screen", async (word, path) => {
    const { code, stdout } = await run(["explain", word, "-o", "id"]);
    expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: path });
  });

  it.each([
    ["bad_credentials", "connection.status"],
    ["authScheme", "connection.authScheme"],
    ["groupRef", "installation.group.groupRef"],
  ])("finds one field by %s, although an installation repeats it", async (word, path) => {
    const { code, json } = await run(["explain", word, "--json"]);
    expect({ code, json: json() }).toMatchObject({ code: 0, json: { path } });
  });

  it.each([
    ["cause", "cause"],
    ["Failing since", "failing-since"],
    ["failingSince", "failing-since"],
  ])("explains %j, which amp finds out itself", async (word, column) => {
    const { stdout } = await run(["explain", word], { tty: true, env: { NO_COLOR: "1" } });
    expect(stdout).toMatch(new RegExp(`^${column} +column\n`, "u"));
    expect(stdout).toContain("not a field of the service");
    expect(stdout).toContain(
      "Shown by  amp installations list\n          amp installations summary",
    );
    expect(stdout.replace(/ \\\n +/gu, " ")).toContain(
      `amp installations list --filter health=unhealthy --sort-by ${column}`,
    );
  });

  it("says when an event fires, and who may have it", async () => {
    const { stdout } = await run(["explain", "connection.error"], { tty: true });
    expect(stdout).toMatchInlineSnapshot(`
      "[1mconnection.error[22m                                                      [2mevent type[22m

      Fires when an OAuth connection has an error, such as an authentication failure
      or token refresh issue.

      [2mSource  [22m  API specification, part 6
      [2mShown by[22m  amp notify events

      [1mNext[22m
        amp notify graph connection.error
      "
    `);
    const beyond = await run(["explain", "Connection.Updated", "--json"]);
    expect(beyond.json()).toMatchObject({ path: "connection.updated", source: "platform" });
  });

  it("lists the fields of a record with what may follow", async () => {
    const { stdout } = await run(["explain", "topics"], { tty: true });
    expect(stdout).toMatchInlineSnapshot(`
      "[1mtopic[22m                                                                     [2mobject[22m

      A topic connects event types to destinations.

      [2mSource      [22m  live platform; not in the API specification, so another service
                    may not have it
      [2mShown by    [22m  amp notify topics create
                    amp notify topics list
                    amp notify topics get

      [1mFields[22m
        [2mid        [22m  string · the ID of the topic
        [2mname      [22m  string · the name, unique in its project
        [2mprojectId [22m  string · the ID of the project that the topic belongs to
        [2mcreateTime[22m  date-time · when the topic was created
        [2mupdateTime[22m  date-time · when the topic last changed
      "
    `);
  });

  it("shows nested fields below the path of their object with --recursive", async () => {
    const { stdout } = await run(["explain", "installation.config", "--recursive"], { tty: true });
    expect(stdout).toMatchInlineSnapshot(`
      "[1minstallation.config[22m                                                       [2mobject[22m

      The current configuration.

      [2mPresent                [22m  always
      [2mSource                 [22m  API specification, part 2.3
      [2mShown by               [22m  amp installations list
                               amp installations get

      [1mFields[22m
        [2mid                   [22m  string · the ID of the configuration
        [2mrevisionId           [22m  string · the ID of the revision of the integration that
                               it is for
        [2mcreateTime           [22m  date-time · when this configuration was saved
        [2mcreatedBy            [22m  string · who saved the configuration, in the form of
                               installation.createdBy
        [2mcontent              [22m  object · the settings that the customer chose

      [1mcontent[22m
        [2mprovider             [22m  string · the name of the provider that it is for
        [2mread                 [22m  object · what is read from the provider
        [2mwrite                [22m  object · what may be written to the provider
        [2msubscribe            [22m  object · the changes at the provider that are
                               subscribed to
        [2mproxy                [22m  object · whether requests may be passed through to the
                               provider (proxy)

      [1mcontent.read[22m
        [2mobjects              [22m  map of object · the settings of each object that is
                               read, by object name

      [1mcontent.read.objects.*[22m
        [2mobjectName           [22m  string · the name of the object at the provider, such
                               as contact
        [2mschedule             [22m  string · when the object is read, as a cron expression
        [2mdestination          [22m  string · the name, not the ID, of the destination of
                               what is read
        [2mselectedFields       [22m  map of boolean · the fields that are read: a map from
                               the name of each field to true
        [2mdisabled             [22m  boolean · whether the read is paused
        [2mselectedFieldsAuto   [22m  string · all means that every field is read, including
                               fields that are added later
        [2mselectedFieldMappings[22m  map of string · fields with custom names: a map from
                               the custom name to the field
        [2mselectedValueMappings[22m  object · values that are replaced when they are read
        [2mbackfill             [22m  object · how the first read of all records (the
                               backfill) is done
        [2mfieldFilters         [22m  object · which records are read, by the values of their
                               fields

      [1mPrint only this field[22m
        amp installations list --json --fields config
      "
    `);
  });

  it("lists the records without an argument", async () => {
    const { code, stdout } = await run(["explain", "-o", "table"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Records of the service");
    expect(stdout).toMatch(/^event-route +an event route sends the events/mu);
  });

  it("prints one document with --json, and one line per field in a pipe", async () => {
    const one = await run(["explain", "connection.status", "--json"]);
    expect(one.json()).toEqual({
      path: "connection.status",
      type: "string",
      required: false,
      values: ["created", "working", "bad_credentials"],
      meaning: expect.stringContaining("whether the credentials work"),
      source: "spec 2.3",
      commands: ["amp connections list", "amp connections get"],
      fields: [],
    });
    const piped = await run(["explain", "topic"]);
    expect(piped.stdout.split("\n")[2]).toBe(
      "topic.name\tstring\tthe name, unique in its project\t\tAPI specification, part 2.4",
    );
    // The rows say all that the page says: it is not written a second time.
    expect(piped.stderr).toBe("");
    const field = await run(["explain", "installation.connection.status"]);
    expect(field.stderr).toBe(
      "Print only this field:  amp installations list --json --fields connection.status\n",
    );
  });

  it("prints every path with --recursive -o id, for completion", async () => {
    const { stdout } = await run(["explain", "--recursive", "-o", "id"]);
    const paths = stdout.trim().split("\n");
    expect(paths).toContain("provider.oauth2Opts.tokenMetadataFields.otherFields.capture");
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("has the fields of each record with --recursive, and none in the bare list", async () => {
    const bare = (await run(["explain", "--json"])).json() as Explained[];
    expect(bare.filter(({ fields }) => fields !== undefined)).toEqual([]);
    const whole = (await run(["explain", "--recursive", "--json"])).json() as Explained[];
    expect(whole.map(({ path }) => path)).toEqual(bare.map(({ path }) => path));
    expect(whole.every(({ fields = [] }) => fields.length > 3)).toBe(true);
  });
});

describe("amp explain for a path that is not whole", () => {
  it("finds the only field with this end", async () => {
    const { stdout } = await run(["explain", "healthStatus", "-o", "id"]);
    expect(stdout).toBe("installation.healthStatus\n");
  });

  it("names all where there are several", async () => {
    const several = await run(["explain", "status", "--json"]);
    expect(several.code).toBe(5);
    expect(several.error()).toMatchObject({
      message: expect.stringMatching(/^\d+ fields match "status"$/u),
      remedy: "Run the command again with one of these names.",
      candidates: expect.arrayContaining([
        { id: "connection.status", type: "string", meaning: expect.any(String) },
      ]),
    });
  });

  it("names the nearest on a miss", async () => {
    const { code, stderr } = await run(["explain", "installation.helthStatus"]);
    expect(code).toBe(3);
    expect(stderr).toMatchInlineSnapshot(`
      "✗ No field or event type matches "installation.helthStatus"
        Did you mean "installation.healthStatus"?
        Try: amp explain installation.healthStatus
      "
    `);
  });

  it.each([
    ["conection.eror", "connection.error"],
    ["instalation.creatd", "installation.created"],
    ["write.asinc.done", "write.async.done"],
  ])("names the nearest event type on a miss: %s", async (typed, meant) => {
    const { code, error } = await run(["explain", typed, "--json"]);
    expect(code).toBe(3);
    expect(error()).toMatchObject({
      message: `No field or event type matches "${typed}"`,
      remedy: expect.stringMatching(new RegExp(`^Did you mean "${meant}"`, "u")),
    });
  });

  it("is suggested by --fields for a field that no item has", async () => {
    const sandbox = sandboxAt();
    const { stderr } = await run(
      ["notify", "topics", "list", "--fields", '"nme"', "--project", "globex-staging"],
      {
        sandbox,
      },
    );
    expect(stderr).toContain("Did you mean name?");
    expect(stderr).toContain("amp explain topics");
  });

  it.each(EXPLAINED_WORDS)("knows the word %s of commands", async (word) => {
    expect((await run(["explain", word])).code).toBe(0);
  });

  it("says that contents are not described", async () => {
    const { code, stderr } = await run(["explain", "destination.metadata.url.host"]);
    expect(code).toBe(3);
    expect(stderr).toMatchInlineSnapshot(`
      "✗ No field matches "destination.metadata.url.host"
        The contents of destination.metadata vary, and are not described.
        Try: amp explain destination.metadata
      "
    `);
  });
});
