import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/api/operations/endpoint.ts";
import * as endpoints from "../../src/api/operations/endpoints.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { COMMANDS } from "../documents/coverage.ts";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS } from "./invocations.ts";

const known: Readonly<Record<string, Endpoint>> = endpoints;

const ROUTED = ["--project", "globex-staging"];

/** What the usual call of a command does not ask, and an option or another record does. */
const INSTEAD: Readonly<Record<string, (sandbox: Sandbox) => Promise<readonly string[]>>> = {
  deleteDestinationRoute: async () => [
    ...[...ROUTED, "--topic", "trouble", "--destination", "staging-webhook", "--yes"],
  ],
  listInstallations: async () => ["crm-sync"],
  getOperation: async () => ["op_80c1cca5_1b4", "--follow"],
  getBackfillProgress: async ({ world: { installations } }) => [
    ...[installations[0]?.id ?? "", "--save", "case.ampcase"],
  ],
  redeliver: async ({ events }) => {
    await INVOCATIONS["sandbox deliveries"]?.before?.("", { events } as Sandbox);
    return [...ROUTED, "--from", events.history.attempts[0]?.messageId ?? ""];
  },
};

describe.each(Object.entries(COMMANDS))("%s of docs/coverage.md", (name, command) => {
  it(`is called by amp ${command}`, async () => {
    const { method = "", path = "" } = known[name] ?? {};
    const { args = [], before, world } = INVOCATIONS[command] ?? {};
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await before?.(cwd, sandbox);
    const usual = typeof args === "function" ? args(sandbox.world) : args;
    const words = (await INSTEAD[name]?.(sandbox)) ?? usual;
    const { requests } = await run([...command.split(" "), ...words], {
      ...{ sandbox, cwd, stdin: "", ...world?.() },
    });
    const asked = requests.map((one) => `${one.method} ${one.path}`);
    const wanted = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/gu, "[^/?]+")}(?:[?]|$)`, "u");
    expect(asked).toContainEqual(expect.stringMatching(wanted));
  });
});
