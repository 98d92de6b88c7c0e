import { expect, it } from "vitest";
import { placeWith } from "./notify-fixture.ts";

it.each([
  ["the project file that chose it", undefined, / \(from \S+\/\.amp\.yaml\)$/u],
  ["no variable that chose it", "acme", /\/v1$/u],
])("a plan names its project in every format, and %s", async (_, AMP_PROJECT, end) => {
  const place = placeWith();
  place.write(".amp.yaml", "project: acme\n");
  const plan = (format: string) =>
    place.notify(`plan -f routing.yaml -o ${format}`, { env: { AMP_PROJECT } });
  const named = (text: string) => /project acme of .*$/mu.exec(text)?.[0].replaceAll("`", "");
  expect(named((await plan("table")).stdout)).toMatch(end);
  expect(named((await plan("markdown")).stdout)).toMatch(end);
  const { target } = (await plan("json")).json() as { target: Record<string, string> };
  expect(target).toMatchObject({ project: "acme", baseUrl: expect.stringMatching(/^https?:/u) });
  expect(target.projectFrom).toMatch(
    AMP_PROJECT === undefined ? /\.amp\.yaml$/u : /^AMP_PROJECT$/u,
  );
});
