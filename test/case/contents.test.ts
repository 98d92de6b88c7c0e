import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SavedCase } from "../../src/documents/case.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const OWN = "cyberdyne";

/** Lines of a log that name other customers and people. */
const LINES = [
  "Initech and Wayne Enterprises fail alike, see usr-wayne and ins_d68e4511 of con_f1df3754",
  "called +49 30 901820-44 about card 4111 1111 1111 1111, mail to jane@customer.example",
  "call back at 030 9018204 about order 4111111111111112 of Cyberdyne Systems",
  `${"word ".repeat(120)}and more`,
];

describe.each([64, 2_100])("a case of a project with %i installations", (size) => {
  const sandbox = sandboxAt(NOW, { state: largeWorld(size) });
  const cwd = temporaryFolder();
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const answer = await sandbox.fetch(request);
    if (pathname.endsWith("/logs")) {
      const lines = LINES.map((msg) => ({ severity: "error", timestamp: NOW, message: { msg } }));
      return Response.json([...lines, { severity: "error", message: { msg: "x" }, extra: "y" }]);
    }
    if (!pathname.endsWith("/connections")) return answer;
    const body = (await answer.json()) as object[];
    return Response.json(body.map((one) => ({ ...one, plan: "gold" })));
  };
  const made = run(["case", "create", OWN, "--save", "c.ampcase"], { sandbox, cwd, fetch });
  const show = async (...more: string[]) => {
    await made;
    return run(["case", "show", "c.ampcase", ...more], { cwd });
  };

  it("has its customer, and of the others neither names nor refs nor connections", async () => {
    expect(await made).toMatchObject({ code: 0 });
    const file = gunzipSync(readFileSync(join(cwd, "c.ampcase"))).toString();
    expect(file).toContain("Cyberdyne Systems");
    const others = sandbox.world.installations.filter(({ group }) => group?.groupRef !== OWN);
    const own = sandbox.world.installations.find(({ group }) => group?.groupRef === OWN);
    const names = others.flatMap(({ id, group, connection }) => [
      ...[id, connection.id, group?.groupName, connection.group?.groupName],
      ...[connection.consumer?.consumerName, connection.consumer?.consumerRef],
      // A ref may be a word of its own; as a ref, it is in quotes.
      ...[group?.groupRef, connection.group?.groupRef].map((ref) => ref && `"${ref}"`),
    ]);
    const kept = JSON.stringify(own);
    const found = names.filter(
      (name) => name && name !== '""' && !kept.includes(name) && file.includes(name),
    );
    expect([...new Set(found)]).toEqual([]);
  });

  it("says what of whom is inside, and what could not be checked", async () => {
    const { contents } = (await show("--json")).json() as SavedCase;
    expect(contents).toMatchObject({
      customer: { installations: 1, connections: 1, logLines: 10 },
      others: { installations: size - 1, connections: expect.any(Number) },
      personal: [],
      unchecked: {
        cutTexts: 2,
        unknownFields: expect.arrayContaining(["connection.plan", "log-entry.extra"]),
      },
    });
    const kinds = new Map(contents?.redacted.map(({ kind, count }) => [kind, count]));
    expect(kinds.get("other customer")).toBe(10);
    expect(kinds.get("phone number")).toBe(4);
    expect(kinds.get("card number")).toBe(2);
    expect(kinds.get("end of a long text")).toBe(2);
    const page = await show();
    expect(page.stdout).toContain("Not checked");
    expect(page.stdout).toMatch(/Others\t.*counts only|Others.*counts only/u);
  });

  it("prints all free text that it keeps with --review, and asks after it", async () => {
    const { freeTexts } = (await show("--review", "--json")).json() as SavedCase;
    const texts = freeTexts?.map(({ text }) => text) ?? [];
    expect(texts).toContain(
      "call back at [redacted] about order 4111111111111112 of Cyberdyne Systems",
    );
    const again = ["case", "create", OWN, "--save", "c.ampcase", "--overwrite", "--review"];
    const { stderr } = await run(again, { sandbox, cwd, fetch });
    const place = stderr.indexOf("call back at [redacted]");
    expect(place).toBeGreaterThan(0);
    expect(stderr.indexOf("Not checked")).toBeGreaterThan(place);
  });
});
