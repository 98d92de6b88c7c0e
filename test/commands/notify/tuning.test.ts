import { expect, it } from "vitest";
import { run } from "../../harness.ts";
import { placeWith } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";

it.each([
  ["AMP_COMMIT_HORIZON=1s", "The commit horizon is 1 s (AMP_COMMIT_HORIZON)"],
  ["AMP_COMMIT_HORIZON=60s", undefined],
])("a commit horizon below 60 s is said: %s", async (variable, line) => {
  const { code, stderr } = await placeWith().notify(`${APPLY} --quiet ${variable}`);
  expect(code).toBe(0);
  if (line === undefined) expect(stderr).toBe("");
  else expect(stderr).toContain(line);
});

it.each([
  ["AMP_COMMIT_HORIZON=soon", '"soon" is not a valid duration'],
  ["AMP_PARALLEL=65", '"65" is not a whole number from 1 to 64'],
  ["AMP_LOCK_WAIT=-1", '"-1" is not a valid duration'],
])("an invalid value is named before anything is sent: %s", async (variable, message) => {
  const { code, stderr, requests } = await placeWith().notify(`${APPLY} ${variable}`);
  expect({ code, posts: requests.filter(({ method }) => method === "POST") }).toEqual({
    code: 2,
    posts: [],
  });
  expect(stderr).toContain(`${variable.split("=")[0]}: ${message}`);
});

it("is used of a .amp.yaml file only once it is trusted", async () => {
  const place = placeWith();
  place.write(".amp.yaml", "commit-horizon: 1s\n");
  const refused = await place.notify(APPLY);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("is not trusted, so its commit-horizon cannot be used");
  expect((await run(["trust"], { cwd: place.cwd })).code).toBe(0);
  const trusted = await place.notify(APPLY);
  expect(trusted.code).toBe(0);
  expect(trusted.stderr).toContain("The commit horizon is 1 s");
});
