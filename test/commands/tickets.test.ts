import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { ROOT } from "../built.ts";
import { routes, run, sandboxAt } from "../harness.ts";
import { inert } from "../laws/examples.ts";
import { posixWords } from "../posix-words.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PAGE = join(ROOT, "docs/tickets.md");
const text = readFileSync(PAGE, "utf8");
/** Soon after the last operations of the sandbox, as for somebody who has just started it. */
const NOW = new Date("2026-09-01T12:05:00Z");
const SHOWN = /^```sh\n([^`]*)^```\n\n```text\n[^`]*^```/gmu;

// `-u` writes the page anew.
it("shows what the commands of docs/tickets.md print", async () => {
  const state = largeWorld(64);
  const sandbox = sandboxAt(NOW, { state });
  const world = { sandbox, now: NOW, cwd: temporaryFolder(), columns: 80, env: { NO_COLOR: "1" } };
  let page = text;
  for (const [block, lines = ""] of text.matchAll(SHOWN)) {
    const screens: string[] = [];
    for (const line of lines.trimEnd().split("\n")) {
      const { code, stdout, stderr } = await run(posixWords(line).slice(1), {
        ...world,
        tty: { out: true, err: true },
      });
      expect({ line, code, stderr: code === 0 ? "" : stderr }).toMatchObject({ line, code: 0 });
      screens.push(stdout.replaceAll(/ +$/gmu, "").trimEnd());
    }
    page = page.replace(
      block,
      () => `\`\`\`sh\n${lines}\`\`\`\n\n\`\`\`text\n${screens.join("\n\n")}\n\`\`\``,
    );
  }
  await expect(page).toMatchFileSnapshot(PAGE);
});

it("has ten tickets in docs/tickets.md, each with a screen and an answer", () => {
  const tickets = text.split(/^## (?=\d)/mu).slice(1);
  expect(tickets).toHaveLength(10);
  for (const ticket of tickets) {
    expect(ticket.match(SHOWN)).toHaveLength(1);
    expect(ticket).toMatch(/^> "[\s\S]*^> Hello, /mu);
  }
});

it("names only commands in docs/coming-from.md that the program takes", async () => {
  const coming = readFileSync(join(ROOT, "docs/coming-from.md"), "utf8");
  const lines = [...coming.matchAll(/`(amp [^`]+)`/gu)].map(([, line = ""]) => line);
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) {
    const { stderr } = await run(posixWords(line).slice(1), {
      routes: inert(routes, () => {}),
      env: { AMP_PROFILE: "sandbox" },
    });
    expect.soft(stderr.split("\n")[0], line).toMatch(/^(?:✗ Missing .*)?$/u);
  }
});
