import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxAt } from "../../harness.ts";
import { ENTER, type Script } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { atSandbox, CONSENT, made, NEW, noLists, setup } from "./setups.ts";

/** The options of a new webhook. */
const WEBHOOK = NEW.slice(0, 6);

const posts = (requests: readonly { method: string }[]) =>
  requests.filter(({ method }) => method === "POST").length;

describe("the names that setup is given", () => {
  it.each([
    ["--topic", [...WEBHOOK, "--topic", "ops alerts"], "ops-alerts"],
    ["--destination-name", ["--destination-name", "ops hook", ...NEW.slice(2, 8)], "ops-hook"],
  ])("refuses an invalid %s before anything is created", async (flag, args, near) => {
    const { code, stderr, requests } = await setup(
      [...args, "--event", "connection.error", "--yes"],
      { sandbox: sandboxAt() },
    );
    expect(code).toBe(2);
    expect(posts(requests)).toBe(0);
    expect(stderr).toContain(`${flag} "${near.replace("-", " ")}": only letters, digits`);
    expect(stderr).toContain(`Use another name, for example ${near}.`);
    expect(stderr).toContain("Nothing was created.");
  });

  it("leaves a name to a service without lists, of whose rules nothing is known", async () => {
    const args = [...WEBHOOK, "--topic", "ops alerts", "--event", "connection.error", "--yes"];
    const { code } = await setup(args, { fetch: noLists(made) });
    expect(code).toBe(0);
  });

  it("refuses a mistyped event type, and sends nothing", async () => {
    const args = [...NEW, "--event", "instalation.deleted", "--yes"];
    const { code, stderr, requests } = await setup(args, { sandbox: sandboxAt() });
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain('Unknown event type "instalation.deleted"');
    expect(stderr).toContain("did you mean installation.deleted? (or pass --allow unknown)");
  });
});

describe("all that is wrong with a command line", () => {
  it("is said at once: event types and a destination type", async () => {
    const args = [
      ...["--destination-name", "ops-hook", "--destination-type", "webhoook"],
      ...["--url", "https://hooks.acme.com/amp", "--topic", "t"],
      ...["--event", "instalation.deleted", "--event", "conection.error", "--yes"],
    ];
    const { code, stderr, requests } = await setup(args, { sandbox: sandboxAt() });
    expect(code).toBe(2);
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
    for (const part of [
      "3 mistakes",
      'Unknown event type "instalation.deleted": did you mean installation.deleted?',
      'Unknown event type "conection.error": did you mean connection.error?',
      'Unknown destination type "webhoook": did you mean webhook?',
      "Correct them, or pass --allow unknown.",
      "Nothing was created.",
    ]) {
      expect(stderr.replaceAll(/\s+/gu, " ")).toContain(part);
    }
  });

  it("leads out of the conflict with another setup in one step, without a file that is none", async () => {
    const world = { cwd: temporaryFolder(), sandbox: sandboxAt() };
    await setup([...NEW, "--yes"], world);
    const other = (...more: readonly string[]) =>
      setup([...NEW.map((word) => word.replace("customer-", "other-")), ...more, "--yes"], world);
    const url = await other("--url", "https://hooks.acme.com/other");
    expect(url.code).toBe(5);
    expect(url.stderr).toContain("or add --accept shared to change them and own it.");
    expect(url.stderr).not.toContain("If the file");
    const slack = await other("--destination-type", "pigeon");
    expect(slack.code).toBe(5);
    expect(slack.stderr).toContain('type: "webhook" → "pigeon"');
    const accepted = await other("--destination-type", "pigeon", "--accept", "shared");
    expect(accepted.code).toBe(5);
    expect(accepted.stderr).toMatch(
      /destination\/ops-webhook \(dst_\w+\) cannot be changed in place/u,
    );
    expect(accepted.stderr).toContain("Give it another name, and prune or delete the old one.");
    expect(accepted.stderr).not.toContain("--accept shared");
  });

  it("names every ID that is not listed", async () => {
    const args = ["--destination-id", "nope", "--topic-id", "nada", "--event", "connection.error"];
    const { code, stderr } = await setup([...args, "--yes"], { sandbox: sandboxAt() });
    expect(code).toBe(3);
    expect(stderr).toContain("nope");
    expect(stderr).toContain("nada");
  });

  it("has the command that lists event types where a pattern matches none", async () => {
    const { code, stderr } = await setup(["--event", "foo.*", "--yes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Nothing was sent.");
    expect(stderr).toContain("Try: amp notify events");
  });
});

describe("a setup with existing resources, by name", () => {
  /** A world with the webhook and topic of a first setup. */
  async function existing() {
    const world = { cwd: temporaryFolder(), sandbox: sandboxAt() };
    expect((await setup([...NEW, "--yes"], world)).code).toBe(0);
    return world;
  }

  it.each([
    ["the IDs' options", ["--destination-id", "ops-webhook", "--topic-id", "customer-lifecycle"]],
    ["the names' options", ["--destination-name", "ops-webhook", "--topic", "customer-lifecycle"]],
  ])("takes names in %s, without type or URL", async (_, args) => {
    const world = await existing();
    const { code, json, requests } = await setup(
      [...args, "--event", "connection.created", "--yes", "--json"],
      world,
    );
    expect(code).toBe(0);
    expect(posts(requests)).toBe(1);
    expect(json()).toMatchObject({
      settled: [
        { address: "destination/ops-webhook", outcome: "in_place" },
        { address: "topic/customer-lifecycle", outcome: "in_place" },
        { address: "event-route/customer-lifecycle/connection.created", outcome: "created" },
        {},
      ],
    });
  });

  it("still asks for the type of a destination that does not exist", async () => {
    const args = ["--destination-name", "nobody", "--topic", "t", "--event", "connection.error"];
    const { code, stderr } = await setup([...args, "--yes"], { sandbox: sandboxAt() });
    expect(code).toBe(2);
    expect(stderr).toContain("Missing options --destination-type, --url");
  });

  it.each([
    ["alone", []],
    ["with its project", ["--project", "acme"]],
  ])("does not repeat the command that was typed %s", async (_, target) => {
    const { stderr, stdout } = await setup([...NEW, "--yes", ...target], { sandbox: sandboxAt() });
    expect(stdout + stderr).toContain("Apply complete");
    expect(stdout + stderr).not.toContain("Non-interactive command");
    const words = [...NEW, "--yes", "--json", ...target];
    const { json } = await setup(words, { sandbox: sandboxAt() });
    expect(json()).not.toHaveProperty("command");
  });

  it("suggests a file name that is free, and keeps the file that exists", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "mine");
    const script: Script = [
      [CONSENT, "Save to a file only"],
      ["File name", ENTER],
    ];
    const { code, json } = await setup([...NEW, "--output", "json"], atSandbox(script, { cwd }));
    expect(code).toBe(0);
    expect(json()).toMatchObject({ savedTo: "routing-2.yaml" });
    expect(readFileSync(join(cwd, "routing.yaml"), "utf8")).toBe("mine");
  });
});
