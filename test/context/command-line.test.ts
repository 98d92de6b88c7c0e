import { expect, it } from "vitest";
import { tellableLine } from "../../src/context/command-line.ts";
import { learnSecret } from "../../src/secret.ts";

it.each([
  [["notify", "apply", "-f", "routing.yaml"], "amp notify apply -f routing.yaml"],
  [["--url", "https://hooks.slack.com/services/T/B/x"], "amp --url https://…"],
  [["--url=https://hooks.slack.com/services/T/B/x", "--yes"], "amp --url=… --yes"],
  [["--metadata", "headers.X-Key=abc"], "amp --metadata headers.X-Key=…"],
  [["--metadata-json", '{"headers":{"X-Key":"abc"}}'], "amp --metadata-json {…"],
  [["--state=https://me:pw@s.example/a"], "amp --state=…"],
])("tells %j as %j", (argv, told) => {
  expect(tellableLine(argv)).toBe(told);
});

it("tells no secret that is known", () => {
  learnSecret("pasted-by-mistake");
  expect(tellableLine(["auth", "login", "pasted-by-mistake"])).toBe("amp auth login [redacted]");
});
