import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ADDRESSES, type Place, placeWith, ROUTING } from "./notify-fixture.ts";

/** The cells of the lines of a pipe. */
function cellsOf(stdout: string): string[][] {
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")]));
}

const ROWS = {
  "plan -f routing.yaml": "create",
  "apply -f routing.yaml --dry-run": "create",
  "apply -f routing.yaml --yes": "created",
  "plan -f ./routing.yaml": "in_place",
};

async function rowsOf(place: Place, words: string) {
  const { stdout, stderr } = await place.notify(words);
  return { cells: cellsOf(stdout), stderr };
}

describe("in a pipe", () => {
  it("plan and apply are a row for each resource, with the prose on stderr", async () => {
    const place = placeWith();
    for (const [words, word] of Object.entries(ROWS)) {
      const { cells, stderr } = await rowsOf(place, words);
      // A plan leaves out what it does not change.
      const shown = word === "in_place" ? [] : ADDRESSES;
      expect(cells.map((row) => row.slice(0, 2))).toEqual(shown.map((one) => [one, word]));
      expect(cells.map(({ length }) => length)).toEqual(shown.map(() => 4));
      const hasId = word !== "create";
      expect(cells.every((row) => /^[a-z]{3}_\w+$/u.test(row[2] ?? "") === hasId)).toBe(true);
      if (words.startsWith("plan")) {
        expect(stderr).toMatch(
          hasId ? /In sync: 5 resources +project acme of /u : /5 to create +project acme of /u,
        );
        expect(stderr).not.toContain("topic/lifecycle");
      }
    }
  });

  it("--all adds unchanged resources to a plan and to a receipt", async () => {
    const place = placeWith();
    await place.notify("apply -f routing.yaml --yes");
    for (const words of ["plan", "apply --yes"]) {
      const { cells } = await rowsOf(place, `${words} -f routing.yaml --all`);
      expect(cells.map(([address, word]) => [address, word])).toEqual(
        ADDRESSES.map((one) => [one, "in_place"]),
      );
      const terminal = { tty: true, env: { NO_COLOR: "1" } };
      const { stdout } = await place.notify(`${words} -f routing.yaml --all`, terminal);
      for (const address of ADDRESSES) expect(stdout).toContain(address.split("/").at(-1));
      const brief = await place.notify(`${words} -f routing.yaml`, terminal);
      expect(brief.stdout.trim()).toMatch(/^In sync: 5 resources(?: +project acme of .*)?$/u);
    }
  });

  it("the place of a local state is shown only with -d", async () => {
    const place = placeWith();
    for (const words of ["plan -f routing.yaml", "apply -f routing.yaml --yes"]) {
      for (const tty of [true, false]) {
        const plain = await place.notify(`${words} --state ops.json`, { tty });
        expect(plain.stdout + plain.stderr).not.toContain("ops.json");
        const { stderr } = await place.notify(`${words} --state ops.json -d`, { tty });
        expect(stderr.match(/^.*ops\.json.*$/gmu)).toEqual([
          `debug: state ${join(place.cwd, "ops.json")}`,
        ]);
      }
    }
  });

  it("the note has the reason and the field", async () => {
    const place = placeWith();
    await place.notify("apply -f routing.yaml --yes");
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
    const { cells, stderr } = await rowsOf(place, "plan -f routing.yaml");
    expect(cells[0]?.slice(1)).toEqual(["conflict", expect.any(String), "cannot_change; type"]);
    expect(stderr).toContain("destination/ops");
  });

  it("-o tsv and csv are the rows alone, and --quiet drops the prose", async () => {
    const place = placeWith();
    const tsv = await place.notify("plan -f routing.yaml -o tsv");
    expect(tsv).toMatchObject({ stderr: "" });
    expect(cellsOf(tsv.stdout)).toHaveLength(5);
    const csv = await place.notify("plan -f routing.yaml -o csv");
    expect(csv.stdout).toMatch(/^Address,Action,ID,Note\ndestination\/ops,create,,\n/u);
    const applied = await place.notify("apply -f routing.yaml --yes --quiet");
    expect(applied).toMatchObject({ stderr: "" });
    expect(cellsOf(applied.stdout)).toHaveLength(5);
    expect((await place.notify("apply -f routing.yaml -o csv")).stdout).toMatch(
      /^Address,Outcome,/u,
    );
  });

  it("a terminal still gets the page", async () => {
    const { stdout } = await placeWith().notify("plan -f routing.yaml", { tty: true });
    expect(stdout).toContain(" to create");
  });
});

it("undo is a row for each resource in a pipe, and says what is complete on stderr", async () => {
  const place = placeWith();
  await place.notify("apply -f routing.yaml --yes");
  const runs = (await place.notify("state history --json")).json() as { run: string }[];
  const { stdout, stderr } = await place.notify(`undo ${runs[0]?.run} --yes`);
  expect(cellsOf(stdout).map((row) => row.slice(0, 2))).toEqual(
    expect.arrayContaining(ADDRESSES.map((one) => [one, "deleted"])),
  );
  expect(cellsOf(stdout)).toHaveLength(ADDRESSES.length);
  expect(stderr).toContain("Undo complete: 5 deleted");
});
