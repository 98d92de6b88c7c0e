import { beforeAll, describe, expect, it } from "vitest";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { later, placeWith, ROUTING } from "./notify-fixture.ts";

const LISTS = {
  destinations: ["id", "name", "type", "metadata", "createTime", "updateTime"],
  topics: ["id", "name", "projectId", "createTime"],
  "notification-event-topic-routes": ["id", "topicId", "eventType", "createTime"],
  "topic-destination-routes": ["id", "topicId", "destinationId", "createTime"],
} as const;

const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  5,
  true,
  "",
  [],
  [null],
  { x: { y: null } },
  ["a"],
];

const sandbox = sandboxAt();
const place = placeWith(sandbox);
const elsewhere = placeWith();

/** `amp notify …` where the lists have an odd value in one field of all records. */
function notifyWithOdd(list: string, field: string, odd: unknown) {
  const fetch: RunInput["fetch"] = async (request) => {
    const answer = await sandbox.fetch(request);
    const { pathname } = new URL(request.url);
    if (request.method !== "GET" || !pathname.endsWith(`/${list}`)) return answer;
    const records = (await answer.json()) as object[];
    return Response.json(records.map((record) => ({ ...record, [field]: odd })));
  };
  return (words: string, cwd = place.cwd) =>
    run(["notify", ...words.split(" ")], { cwd, sandbox, fetch });
}

/** What a plan would create, beside the routes of what it finds under another ID. */
function createsOf({ code, stdout }: Outcome): string[] {
  if (code !== 0) return [];
  const { items } = JSON.parse(stdout) as {
    items: { action: string; reason?: string; address: string }[];
  };
  // A route whose topic or destination has another ID than before is not one that exists.
  return items.flatMap(({ action, reason, address }) =>
    action === "create" && reason === undefined ? address : [],
  );
}

beforeAll(async () => {
  expect((await place.notify("apply -f routing.yaml --yes")).code).toBe(0);
});

/** No crash, no refusal of the whole list. */
const isSound = ({ code, stderr }: Outcome) =>
  [0, 5, 8, 9].includes(code) && !/does not match the API specification|unexpected/u.test(stderr);

/** What a list shows is newer than what amp did, and believed. */
const LATER = "AMP_COMMIT_HORIZON=1ms";

const cases = Object.entries(LISTS).flatMap(([list, fields]) =>
  fields.flatMap((field) => ODD_VALUES.map((odd) => [list, field, odd] as const)),
);

describe("a list with an odd field", () => {
  it(`makes nothing twice, and stops neither status nor export (${cases.length} cases)`, async () => {
    const broken: string[] = [];
    for (const [list, field, odd] of cases) {
      const notify = notifyWithOdd(list, field, odd);
      const what = `${list} ${field} = ${JSON.stringify(odd)}`;
      // Nothing but the list says there what exists.
      for (const folder of [place, elsewhere]) {
        const planned = await notify(`plan -f routing.yaml --json ${LATER}`, folder.cwd);
        if (!isSound(planned)) broken.push(`${what}: plan ${planned.code} ${planned.stderr}`);
        // A route whose end is listed with another ID is another one.
        if (folder === elsewhere && field === "id" && odd === 5) continue;
        if (createsOf(planned).length > 0) broken.push(`${what}: creates ${createsOf(planned)}`);
      }
      for (const words of ["export"]) {
        const shown = await notify(words);
        // Another number is the ID of another topic or destination, which is not listed.
        const isOtherEnd = /(?:topic|destination)Id$/u.test(field) && odd === 5;
        const isIncomplete = field === "id" || isOtherEnd;
        if (!isSound(shown) || (shown.code === 5 && !isIncomplete)) {
          broken.push(`${what}: ${words} ${shown.code} ${shown.stderr}`);
        }
      }
    }
    expect(broken.map((one) => one.slice(0, 300)).slice(0, 20)).toEqual([]);
  });

  it("may have an item that is not a record", async () => {
    const fetch: RunInput["fetch"] = async (request) => {
      const answer = await sandbox.fetch(request);
      if (!Object.keys(LISTS).some((list) => request.url.endsWith(`/${list}`))) return answer;
      return Response.json([null, "text", ...((await answer.json()) as object[]), 5, []]);
    };
    const planJson = "plan -f routing.yaml -o yaml";
    for (const words of [planJson]) {
      const outcome = await run(["notify", ...words.split(" ")], {
        cwd: place.cwd,
        sandbox,
        fetch,
      });
      expect([words, outcome.code, outcome.stderr, isSound(outcome)]).toEqual([
        words,
        0,
        expect.stringContaining("6 fields are not as specified"),
        true,
      ]);
      expect(outcome.stdout).not.toContain("action: create");
      expect(outcome.stderr).not.toContain("bug in amp");
    }
    // What has no ID would be missing from the file.
    const { code, stdout, stderr } = await run(["notify", "export"], {
      cwd: place.cwd,
      sandbox,
      fetch,
    });
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain("The service listed 4 destinations without an ID");
  });

  it("refuses a record that has no ID only where it is the one that is needed", async () => {
    const notify = notifyWithOdd("topics", "id", null);
    const { code, stderr, requests } = await notify("plan -f routing.yaml", elsewhere.cwd);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'The list of topics has a record without an ID of its own: name "lifecycle"',
    );
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    const other = await notify("topics list -o yaml");
    expect(other.code).toBe(0);
    expect(other.stderr).toContain("lifecycle id: expected string, received null");
  });

  it("refuses a record whose ID another one has, too, where it is the one that is needed", async () => {
    const fetch: RunInput["fetch"] = async (request) => {
      const answer = await sandbox.fetch(request);
      if (!request.url.endsWith("/topics")) return answer;
      const [own] = (await answer.json()) as object[];
      return Response.json([{ ...own, name: "other" }, own]);
    };
    const words = ["notify", "apply", "-f", "routing.yaml", "--yes"];
    const { code, stderr, requests } = await run(words, { cwd: elsewhere.cwd, sandbox, fetch });
    expect(code).toBe(5);
    expect(stderr).toContain('a record without an ID of its own: name "lifecycle"');
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("loses nothing of the state while a list has a record under two names", async () => {
    const { cwd, sandbox: service, notify, write } = placeWith();
    expect((await notify("apply -f routing.yaml --yes")).code).toBe(0);
    write("less.yaml", ROUTING.slice(0, ROUTING.indexOf("topics:")));
    let isListedTwice = false;
    // A page of the list is read before a rename, and the next one after it.
    const fetch: RunInput["fetch"] = async (request) => {
      if (request.method === "DELETE" && request.url.includes("/topics/")) {
        isListedTwice = true;
        return Response.json({}, { status: 502 });
      }
      const answer = await service.fetch(request);
      if (!(request.url.endsWith("/topics") && isListedTwice)) return answer;
      const [own] = (await answer.json()) as object[];
      return Response.json([{ ...own, name: "before" }, own]);
    };
    const prune = ["notify", "apply", "-f", "less.yaml", "--prune", "--yes"];
    const { code } = await run(prune, { cwd, sandbox: service, ...later(fetch) });
    expect(code).not.toBe(0);
    const known = await notify("state list");
    expect(known.stdout).toContain("topic/lifecycle");
    const planned = await notify("plan -f less.yaml -o json", later(fetch));
    expect(planned.stdout).toContain("topic/lifecycle");
  });
});
