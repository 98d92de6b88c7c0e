import { expect, it } from "vitest";
import { planUndo } from "../../../src/notify/undo.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { placeWith, ROUTING } from "./notify-fixture.ts";

type Answer = (request: Request, sandbox: Sandbox) => MaybePromise<Response | undefined>;
type MaybePromise<Value> = Value | Promise<Value>;

const SETUP = "setup --yes --destination-type webhook --url https://a.example --event all";
const APPLY = "apply -f empty.yaml --prune --accept takeover --yes";

const json = (body: unknown, status = 200) => Response.json(body, { status });
const isList = ({ method, url }: Request, noun: string) => method === "GET" && url.endsWith(noun);

/** A service whose answer to a rotation has other members. */
const rotated =
  (change: object): Answer =>
  async (request, sandbox) => {
    if (!request.url.includes("rotate=true")) return undefined;
    return json({ ...((await (await sandbox.fetch(request)).json()) as object), ...change });
  };

/** A service that refuses to create what it then lists twice. */
function twice(): Answer {
  let isAsked = false;
  return (request) => {
    if (request.method === "POST") {
      isAsked = true;
      return json({ title: "Conflict" }, 409);
    }
    const two = ["t-1", "t-2"].map((id) => ({ id, name: "ops" }));
    return isAsked && isList(request, "/destinations") ? json(two) : undefined;
  };
}

/** A service on which a destination goes as it is updated. */
function gone(): Answer {
  let isGone = false;
  return (request) => {
    isGone ||= request.method === "PATCH";
    if (request.method === "PATCH") return json({ title: "Not Found" }, 404);
    return isGone && isList(request, "/destinations") ? json([]) : undefined;
  };
}

/** Commands after `amp notify`, the name of the error of each, and what a service answers oddly. */
const LINES: readonly (readonly [line: string, name: string, answer?: Answer])[] = [
  ["test -f - -", "test_stdin_twice"],
  ["test -f -", "test_cases_missing"],
  [
    `destinations create --name a --type webhook --metadata ${"a.".repeat(40)}b=c`,
    "metadata_key_deep",
  ],
  [`${SETUP} --destination-name a_b --topic c_d`, "setup_options_invalid"],
  ["destinations secret ops --rotate --yes", "secret_not_returned", rotated({ secrets: {} })],
  [
    "destinations secret ops --rotate --yes",
    "secret_of_another_destination",
    rotated({ id: "other" }),
  ],
  [
    "topics update t-9 --name other --yes",
    "resource_without_name",
    (request) => (isList(request, "/topics") ? json([{ id: "t-9" }]) : undefined),
  ],
  ["destinations update ops --url https://b.example --yes", "resource_gone", gone()],
  [APPLY, "deletes_missing", ({ method }) => (method === "DELETE" ? json({}, 405) : undefined)],
  ["apply -f one.yaml --yes", "resource_listed_twice", twice()],
];

const cases = LINES.map(([line, name, answer]) => ({ line, name, answer }));

it.each(cases)("amp notify $line is the error $name", async ({ line, name, answer }) => {
  const place = placeWith();
  place.write("empty.yaml", "version: 1\nname: routing\ndestinations: {}\ntopics: {}\n");
  place.write("one.yaml", `${ROUTING.split("topics:")[0]}topics: {}\n`);
  if (/ (?:empty|ops|t-9)/u.test(line)) await place.notify("apply -f routing.yaml --yes");
  const fetch = async (request: Request) =>
    (await answer?.(request, place.sandbox)) ?? place.sandbox.fetch(request);
  const outcome = await place.notify(`${line} --json`, { fetch, stdin: ROUTING });
  expect(outcome.error()).toMatchObject({ name });
});

it("a run with more changes than are kept is not undone", async () => {
  const run = { isCut: true, changes: [] } as never;
  const state = { entries: new Map(), left: new Map() } as never;
  const undone = planUndo(state, "r1", run, { list: async () => undefined, isYoung: () => false });
  await expect(undone).rejects.toThrow("more changes than the state keeps");
});

it("a single command suggests no option that it lacks for what is gone", async () => {
  const place = placeWith();
  await place.notify("apply -f routing.yaml --yes");
  const answer = gone();
  const { code, error } = await place.notify(
    "destinations update ops --url https://b.example --yes --json",
    {
      fetch: async (request) =>
        (await answer(request, place.sandbox)) ?? place.sandbox.fetch(request),
    },
  );
  expect(code).toBe(3);
  expect(error()).toMatchObject({ suggestion: "amp notify destinations list" });
  expect(error().message).toMatch(/^destination\/ops is \S+, which the service no longer has$/u);
  expect(error()).not.toHaveProperty("remedy");
});
