import { expect, it } from "vitest";
import { suggest } from "../../src/values/suggested-command.ts";

it("repeats the typed guards in suggested commands that write at the service", () => {
  const at = { confirm: "production", expectProject: "acme" };
  const line = (...parts: Parameters<typeof suggest>) =>
    suggest(...parts)
      .at(at)
      .line();
  expect(line("notify setup")).toBe("amp notify setup --confirm production --expect-project acme");
  expect(line("notify export")).toBe("amp notify export");
  expect(line("version")).toBe("amp version");
  expect(line("notify apply", [], { help: true })).toBe("amp notify apply --help");
});
