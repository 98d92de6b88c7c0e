import { expect, it } from "vitest";
import { placeWith } from "./notify-fixture.ts";

it.each([
  ["of the project file is named", undefined, true],
  ["that a variable chose is not", "acme", false],
])("the target of a plan %s", async (_, AMP_PROJECT, isNamed) => {
  const place = placeWith();
  place.write(".amp.yaml", "project: acme\n");
  const planned = await place.notify("plan -f routing.yaml", { env: { AMP_PROJECT } });
  const line = /^Using the project acme at https?:\S+ \(from \S+\/\.amp\.yaml\)\.$/mu;
  expect([planned.code, line.test(planned.stderr)]).toEqual([0, isNamed]);
});
