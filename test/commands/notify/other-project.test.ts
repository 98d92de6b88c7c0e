import { describe, expect, test } from "vitest";
import type { RunInput } from "../../harness.ts";
import { placeWith, writesOf } from "./notify-fixture.ts";

const OTHER = "prj_globex2c";

/** The records of all lists but the projects, as if they belonged to another project. */
function listingOther(place: ReturnType<typeof placeWith>, which: string): RunInput["fetch"] {
  return async (request) => {
    const answer = await place.sandbox.fetch(request);
    const { pathname } = new URL(request.url);
    if (request.method !== "GET" || !new RegExp(`/projects/.*${which}$`, "u").test(pathname)) {
      return answer;
    }
    const records = (await answer.json()) as object[];
    return Response.json(records.map((record) => ({ ...record, projectId: OTHER })));
  };
}

/** A project with a routing, which the lists of its service show. */
async function routedPlace() {
  const place = placeWith();
  expect((await place.notify("apply -f routing.yaml --yes")).code).toBe(0);
  return place;
}

describe("lists of another project", () => {
  test.each([
    ["apply -f routing.yaml --yes --expect-project acme", "routes"],
    ["plan -f routing.yaml", "routes"],
    ["export", "routes"],
    ["check", "routes"],
  ])("are refused: amp notify %s", async (words, which) => {
    const place = await routedPlace();
    const outcome = await place.notify(`${words} --json`, { fetch: listingOther(place, which) });
    expect(outcome).toMatchObject({ code: 7, stdout: "" });
    expect(outcome.error().message).toMatch(/the service listed resources of another project$/u);
    expect(writesOf(outcome)).toEqual([]);
  });

  test("are refused by the state if all of them are of the same one", async () => {
    const place = await routedPlace();
    for (const words of ["apply -f routing.yaml --yes", "plan -f routing.yaml"]) {
      const outcome = await place.notify(`${words} --json`, {
        fetch: listingOther(place, "(?:topics|routes)"),
      });
      expect(outcome).toMatchObject({ code: 7, stdout: "" });
      expect(outcome.error()).toMatchObject({
        message: "The service lists resources of another project as those of acme",
        detail: `The state belongs to project prj_acme0a1b; the listed resources belong to project ${OTHER}.`,
        done: "Nothing was changed.",
      });
    }
  });

  test("are refused by a new state before it is saved", async () => {
    const place = await routedPlace();
    const fetch = listingOther(place, "(?:topics|routes)");
    const words = "apply -f routing.yaml --yes --state own.json";
    expect(await place.notify(words, { fetch })).toMatchObject({ code: 7 });
    expect(place.has("own.json")).toBe(false);
  });
});
