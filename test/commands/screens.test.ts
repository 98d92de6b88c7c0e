import { expect, it } from "vitest";
import { SEED_WORLD } from "../../src/sandbox/seed/world.ts";
import { displayWidth } from "../../src/ui/width.ts";
import { run, sandboxAt } from "../harness.ts";

/** The screens that have no golden of their own at all three widths, by the name of the file. */
const SCREENS: Readonly<Record<string, string>> = {
  projects: "projects list",
  project: "projects get acme",
  integrations: "integrations list",
  integration: "integrations get crm-sync",
  apps: "apps list",
  app: "apps get ghost",
  providers: "providers list",
  provider: "providers get hubspot",
  "provider-unknown": "providers get hubspto",
  connections: "connections list --group-ref initech",
  invites: "invites list",
  installation: "installations get 'Bluth Company'",
  "installation-unknown": "installations get 'Blooth Company'",
  "auth-status": "auth status",
  "auth-list": "auth list",
  destinations: "notify destinations list",
  destination: "notify destinations get acme-webhook",
  topics: "notify topics list",
  topic: "notify topics get sync-problems",
  "event-routes": "notify event-routes list",
  "destination-routes": "notify destination-routes list",
  events: "notify events",
  graph: "notify graph",
  trace: "notify trace connection.error",
  check: "notify check",
  "state-of-routing": "notify status",
  explain: "explain installation.connection.status",
  "profile-unknown": "apps list --profile nobody",
  "unknown-command": "destinations list",
};

const words = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "");

it.each(Object.entries(SCREENS))("%s is readable at 60, 80 and 140 columns", async (name, line) => {
  const screens: string[] = [];
  for (const columns of [60, 80, 140]) {
    const world = {
      sandbox: sandboxAt(undefined, { state: SEED_WORLD }),
      tty: { out: true, err: true },
      columns,
    };
    const { stdout, stderr } = await run(words(line), { ...world, env: { NO_COLOR: "1" } });
    const shown = (stdout + stderr).split("\n").map((one) => one.trimEnd());
    for (const one of shown) {
      // What is to be copied is never broken.
      const isCopied = one.startsWith("  amp ") || one.includes("https://");
      if (!isCopied) expect(displayWidth(one), one).toBeLessThanOrEqual(columns);
    }
    screens.push(`${columns} columns: amp ${line}\n\n${shown.join("\n").trimEnd()}\n`);
  }
  await expect(screens.join(`\n${"═".repeat(60)}\n`)).toMatchFileSnapshot(
    `./golden/screens/${name}.txt`,
  );
});
