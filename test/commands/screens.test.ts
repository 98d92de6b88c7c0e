import stringWidth from "string-width";
import { expect, it } from "vitest";
import { run, sandboxAt, withoutWaitLines } from "../harness.ts";
import { SEED_WORLD } from "../platform.ts";

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
  routes: "notify routes list",
  events: "notify events",
  graph: "notify graph",
  trace: "notify graph connection.error",
  check: "notify check",
  explain: "explain installation.connection.status",
  "profile-unknown": "apps list --profile nobody",
  "unknown-command": "destinations list",
  "unknown-option": "installations list --integration crm-sync",
  "app-several": "apps get hubspot",
  "invite-unknown": "invites revoke nobdy@acme.example --yes",
  "invite-revoked": "invites revoke former.colleague@acme.example --yes",
  "topic-refused": "notify topics create 'ops alerts'",
  "topic-taken": "notify topics create installs",
  "destination-dry-run":
    "notify destinations create --name ops --type kinesis --metadata region=eu-west-1 --dry-run",
  "routes-several":
    "notify routes create --topic installs --event installation.updated,connection.error",
  "setup-dry-run":
    "notify setup --destination-name ops --destination-type webhook --url https://hooks.acme.com/amp --topic installs --event connection.* --yes --dry-run",
  "setup-options-missing": "notify setup --topic installs --no-input",
  delete: "notify destinations delete acme-webhook --dry-run",
  "delete-refused": "notify topics delete installs --no-input",
  history: "notify state history",
  import: "notify state import topic/installs top_nope",
  "file-missing": "notify check -f nofile.yaml",
  summary: "installations summary",
  "field-unknown": "installations list --fields id,nosuch",
  "filter-unknown": "installations list --filter helth=unhealthy",
  "base-url": "apps list --base-url api.example.com",
  api: "api /v1/projects",
  "explain-unknown": "explain installation.conection",
  "topics-help": "help topics",
  "topic-unknown": "help variables",
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
    const shown = (stdout + withoutWaitLines(stderr))
      .replace(/answered in \d+ ms/u, "answered in <time>")
      .replace(/(?<= )\S+ \((?:node|bun) .*\)$/mu, "<version>")
      .split("\n")
      .map((one) => one.trimEnd());
    for (const one of shown) {
      expect(one, "a cut ID").not.toMatch(/\b[a-z]{2,4}_\w*…/u);
      // What is to be copied is never broken.
      const isCopied = /^ *(?:amp |\{)/u.test(one) || one.includes("https://");
      if (!isCopied) expect(stringWidth(one), one).toBeLessThanOrEqual(columns);
    }
    screens.push(`${columns} columns: amp ${line}\n\n${shown.join("\n").trimEnd()}\n`);
  }
  await expect(screens.join(`\n${"═".repeat(60)}\n`)).toMatchFileSnapshot(
    `./golden/screens/${name}.txt`,
  );
});
