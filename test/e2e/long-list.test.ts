import { expect, onTestFinished, test, vi } from "vitest";
import { INTEGRATION, serveLongList } from "../network/long-list-server.ts";
import { createHome, isBundle, runAmp, runShell, wordsOfAmp } from "./program.ts";
import { Terminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 120_000 });

const COUNT = 40_000;
const LIST = ["installations", "list", INTEGRATION];

/** A destination that every read of the list names, and no topic that leads to it. */
const ROUTING = {
  destinations: [{ id: "dst_1", name: "crm-webhook", type: "webhook" }],
  topics: [],
  "notification-event-topic-routes": [],
  "topic-destination-routes": [],
  "crm-webhook": { id: "dst_1", name: "crm-webhook", type: "webhook" },
  integrations: [],
};

async function service() {
  const server = await serveLongList(COUNT, undefined, ROUTING);
  onTestFinished(() => server.close());
  const env = { AMP_BASE_URL: server.baseUrl, AMP_API_KEY: "key", AMP_PROJECT: "acme" };
  return { server, env };
}

// Held as a whole the list takes several times as much.
test.skipIf(!isBundle).each(["json", "table", "id"])(
  "a list far larger than its memory is written: %s",
  async (format) => {
    const { server, env } = await service();
    expect(server.bytes).toBeGreaterThan(50_000_000);
    const { code, stdout, stderr } = await runAmp([...LIST, "-o", format], {
      env: { ...env, NODE_OPTIONS: "--max-old-space-size=48" },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("00000000-9a51-");
    expect(stdout).toContain("00039999-9a51-");
  },
);

test.skipIf(!isBundle)(
  "the reads of a destination are searched in a list far larger than its memory, and counted meanwhile",
  async () => {
    const { env } = await service();
    const home = createHome();
    const words = [...wordsOfAmp(), "notify", "destinations", "get", "crm-webhook"] as const;
    const limited = { ...home.env, ...env, NODE_OPTIONS: "--max-old-space-size=48" };
    const terminal = new Terminal(words, { ...home, env: limited });
    await terminal.until(/Searching the installations for reads: \d+ so far/u);
    await terminal.exits(0);
    const screen = terminal.screen.visible().join("\n");
    expect(screen).toContain(`${COUNT.toLocaleString("en")} installations`);
    expect(screen).not.toContain("so far");
  },
);

test("its time limit applies although stdout and stderr are not read", async () => {
  const { env } = await service();
  const list = `amp ${LIST.join(" ")} --json --deadline 1s`;
  // The reader looks for the exit code, and never at what it is sent.
  const reader = "for n in $(seq 60); do test -s code && break; sleep 0.5; done; cat code";
  const { stdout } = await runShell(`{ ${list}; echo $? >code; } 2>&1 | { ${reader}; }`, { env });
  expect(stdout).toBe("124\n");
});

test("a reader that has seen enough ends it, and the download, without a word", async () => {
  const { server, env } = await service();
  const line = `{ amp ${LIST.join(" ")} -o id; echo "code $?" >&2; } | head -n 1`;
  const { code, stdout, stderr } = await runShell(line, { env });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: "00000000-9a51-42cc-8662-9d9725b17f14\n",
    stderr: "code 0\n",
  });
  expect(server.sent()).toBeLessThan(server.bytes / 2);
});
