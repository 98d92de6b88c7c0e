import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { homeAt, NO_ROUTING, routingAt, startSandbox } from "./sandbox.ts";
import { answerAll, openWizard, screenText } from "./wizard.ts";

/** Ctrl-U: an answer that was refused is left to be edited. */
const CLEAR_LINE = "\u0015";

vi.setConfig({ testTimeout: 120_000 });

test("Save to a file only writes the file and creates nothing", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const taken = join(home.folder, "routing.yaml");
  writeFileSync(taken, "mine\n");
  const terminal = openWizard(home);
  await answerAll(terminal);
  await terminal.choose("Create these?", "Save to a file only");
  // The name that is offered is free; one that is taken is refused, and what is there stays.
  await terminal.asked("File name (routing-2.yaml)");
  await terminal.answer("File name", "routing.yaml");
  await terminal.until("routing.yaml already exists");
  await terminal.answer("File name", `${CLEAR_LINE}other.yaml`);
  await terminal.exits(0);

  expect(readFileSync(taken, "utf8")).toBe("mine\n");
  const saved = join(home.folder, "other.yaml");
  await expect(readFileSync(saved, "utf8")).toMatchFileSnapshot("screens/routing.yaml");
  const lines = terminal.screen.transcript();
  const begin = lines.indexOf("✓ Create these? Save to a file only");
  await expect(screenText(lines.slice(begin))).toMatchFileSnapshot("screens/saved.txt");
  expect(await routingAt(url)).toEqual(NO_ROUTING);
});

test("--save writes the file beside what is created", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const terminal = openWizard(home, undefined, "--save", "routing.yaml");
  await answerAll(terminal);
  expect(statSync(join(home.folder, "routing.yaml"), { throwIfNoEntry: false })).toBeUndefined();
  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  await expect(readFileSync(join(home.folder, "routing.yaml"), "utf8")).toMatchFileSnapshot(
    "screens/routing.yaml",
  );
  const transcript = terminal.screen.transcript();
  const said = transcript.indexOf("To apply routing.yaml again");
  expect(transcript[said + 1]).toBe("  amp notify apply -f routing.yaml");
  expect((await routingAt(url)).topics).toEqual(["customer-lifecycle"]);
});
