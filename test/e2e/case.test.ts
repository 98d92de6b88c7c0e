import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { installed } from "../installed.ts";
import { runAmp, wordsOfAmp } from "./program.ts";
import { homeAt, startSandbox } from "./sandbox.ts";
import { KEYS, Terminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A program that Ctrl-C does not end, as a shell or a debugger. */
const COUNTS = `
  let count = 0;
  process.on("SIGINT", () => {
    console.log("interrupt " + ++count);
    if (count === 4) process.exit(42);
  });
  setInterval(() => {}, 1000);
  console.log("ready");
`;

test("a command in a case has the terminal: its interrupts do not end amp, its exit code does", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const made = await runAmp(["case", "create", "Cyberdyne", "--save", "c.ampcase"], { home });
  expect(made.code).toBe(0);
  writeFileSync(join(home.folder, "counts.js"), COUNTS);
  const command = ["case", "open", "c.ampcase", "--", process.execPath, "counts.js"];
  const terminal = new Terminal([...wordsOfAmp(), ...command], home);
  await terminal.until("ready");
  for (const count of [1, 2, 3, 4]) {
    terminal.type(KEYS.ctrlC);
    await terminal.until(`interrupt ${count}`);
  }
  await terminal.exits(42);
});

test("amp in a case, and a case in a case", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  await runAmp(["case", "create", "Cyberdyne", "--save", "c.ampcase"], { home });
  const open = ["case", "open", "c.ampcase", "--", ...wordsOfAmp()];
  const get = await runAmp([...open, "installations", "get", "cyberdyne", "-o", "id"], { home });
  expect(get).toMatchObject({ code: 0, stdout: "ins_08139571\n" });
  const byName = ["case", "open", "c.ampcase", "--", "amp", "installations", "get", "cyberdyne"];
  expect((await runAmp([...byName, "-o", "id"], { home })).stdout).toBe("ins_08139571\n");
  const write = await runAmp([...open, "notify", "topics", "create", "x"], { home });
  expect(write).toMatchObject({ code: 6, stdout: "" });
  expect(write.stderr).toContain("Nothing was sent to any service");
  const again = await runAmp([...open, "case", "open", "c.ampcase"], { home });
  expect(again.code).toBe(2);
});

test.for(["bash", "zsh", "sh"])(
  "the prompt of %s says which case is open",
  async (shell, { skip }) => {
    if (!installed(shell)) skip(`${shell} is not installed`);
    const { url } = await startSandbox();
    const home = homeAt(url);
    await runAmp(["case", "create", "Cyberdyne", "--save", "c.ampcase"], { home });
    const env = { ...home.env, SHELL: `/bin/${shell}` };
    const terminal = new Terminal([...wordsOfAmp(), "case", "open", "c.ampcase"], { ...home, env });
    await terminal.until("(c.ampcase) ");
    terminal.type("amp installations list -o count\r");
    await terminal.until("From the case of Cyberdyne Systems");
    terminal.type("exit\r");
    await terminal.exits(0);
  },
);
