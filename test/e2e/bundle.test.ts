import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parse } from "yaml";
import { createHome, ROOT, runAmp, runShell } from "./program.ts";
import { homeAt, startSandbox } from "./sandbox.ts";
import { Terminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 120_000 });

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

test("prints its version and its help", async () => {
  expect(await runAmp(["--version"])).toMatchObject({
    code: 0,
    stdout: `amp-admin ${version}\n`,
    stderr: "",
  });
  const help = await runAmp(["--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("Usage: amp <command> [options]");
  expect(await runAmp(["notify", "setup", "--help"])).toMatchObject({ code: 0, stderr: "" });
});

test("prints a list in every format", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const list = async (format: string) => {
    const ended = await runAmp(["apps", "list", "--output", format], { home });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    return ended.stdout;
  };
  const apps = JSON.parse(await list("json")) as { id: string; provider: string }[];
  expect(apps.length).toBeGreaterThan(1);
  const lines = (text: string) => text.trimEnd().split("\n");

  expect(parse(await list("yaml"))).toEqual(apps);
  expect(lines(await list("ndjson")).map((line) => JSON.parse(line))).toEqual(apps);
  expect(lines(await list("id"))).toEqual(apps.map(({ id }) => id));
  const [head, ...rows] = lines(await list("csv"));
  expect(head).toMatch(/^Provider,.*,ID$/u);
  expect(rows.map((row) => row.split(",").at(-1))).toEqual(apps.map(({ id }) => id));
  const cells = lines(await list("tsv")).map((line) => line.split("\t"));
  expect(cells.map((row) => row[0])).toEqual(apps.map(({ provider }) => provider));
  const [heading, ...table] = lines(await list("table"));
  expect(heading).toMatch(/^PROVIDER .* ID$/u);
  expect(table).toHaveLength(apps.length);
  expect(await runAmp(["apps", "list"], { home })).toMatchObject({ stdout: await list("tsv") });
});

test("fits a list to the terminal, and aligns a receipt in a pipe without a frame", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const terminal = new Terminal(["amp", "installations", "list"], {
    ...home,
    env: { ...home.env, AMP_INTEGRATION: "113e9685-9a51-42cc-8662-9d9725b17f14" },
  });
  await terminal.exits(0);
  expect(terminal.screen.transcript()).toContainEqual(expect.stringMatching(/^GROUP .*ID$/u));
  expect(terminal.screen.wrapped()).toEqual([]);

  const setup =
    "amp notify setup --destination-name ops --destination-type webhook --url https://a.test/ " +
    "--topic incidents --event connection.error --yes --output table";
  const { code, stdout } = await runShell(setup, { home });
  expect(code).toBe(0);
  expect(stdout).not.toContain("┌─");
  expect(stdout).toMatch(/^destination\/ops +dst_\w+ +created$/mu);
});

test("goes quietly when its reader goes", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const commands = ["amp apps list", "amp apps list --json", "amp commands --json", "amp --help"];
  for (const command of commands) {
    const gone = await runShell(`{ ${command}; echo "exit $?" >&2; } | true`, { home });
    expect(gone.stderr).toBe("exit 0\n");
  }
  const first = await runShell("amp apps list | head -1 | cut -f1", { home });
  expect(first).toMatchObject({ code: 0, stdout: "hubspot\n", stderr: "" });
});

test.skipIf(process.platform !== "linux")(
  "ends a follow whose reader has what it wants",
  async () => {
    const { url } = await startSandbox();
    const home = homeAt(url);
    const made = await runShell(
      "amp notify setup --destination-name ops --destination-type webhook --url https://hooks.acme.example/ " +
        "--topic incidents --event connection.error --yes && amp trigger connection.error",
      { home },
    );
    expect(made.code).toBe(0);
    const follow = "amp sandbox deliveries --follow | head -n 1 | cut -f2";
    expect(await runShell(follow, { home })).toMatchObject({
      code: 0,
      stdout: "connection.error\n",
    });
  },
);

test.skipIf(process.platform !== "linux")("amp reports a full disk", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const full = await runShell("amp apps list > /dev/full", { home });
  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(/^✗ .*no space left on device/u);
});

test("amp runs with standard input closed", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const list = await runShell("amp apps list -o id <&-", { home });
  expect(list).toMatchObject({ code: 0, stderr: "" });
  const asked = await runShell("amp notify setup <&-", { home });
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain("--destination-name");
});

test("amp completion prints a script that the shell accepts", async () => {
  const { code, stderr } = await runShell("amp completion bash > amp.bash && bash -n amp.bash", {
    home: createHome(),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("answers a shell at Tab, also where the profiles cannot be read", async () => {
  const home = createHome();
  const ask = (...words: string[]) => runAmp(["__complete", ...words], { home });
  const list = await ask("installations", "l");
  expect(list).toMatchObject({ code: 0, stderr: "" });
  expect(list.stdout).toContain("list\tlist installations");
  expect(await ask("--profile", "")).toMatchObject({ code: 0, stdout: "sandbox\n", stderr: "" });
  mkdirSync(home.configFolder, { recursive: true });
  writeFileSync(join(home.configFolder, "config.json"), "{");
  expect(await ask("--profile", "")).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test("names a mistyped command in one shape, as text and as JSON", async () => {
  expect(await runAmp(["aps", "list"])).toMatchObject({ code: 2, stdout: "" });
  const json = await runAmp(["aps", "list", "--json"]);
  expect(json).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "usage", exitCode: 2 } });
});
