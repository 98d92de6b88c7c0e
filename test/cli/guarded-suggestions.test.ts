import { expect, it } from "vitest";
import { suggest } from "../../src/values/suggested-command.ts";
import { run, sandboxAt } from "../harness.ts";

it("repeats the typed guards in suggested commands, where they call the service", async () => {
  const guards = ["--confirm", "production", "--expect-project", "acme"];
  const argv = ["apps", "list", ...guards];
  const { code, stderr } = await run(argv, {
    tty: true,
    env: { NO_COLOR: "1" },
    sandbox: sandboxAt(),
  });
  expect(code).toBe(0);
  expect(stderr).toContain("amp apps get <id> --confirm production --expect-project acme");

  const at = { confirm: "production", expectProject: "acme" };
  expect(suggest("version").at(at).line()).toBe("amp version");
  expect(suggest("notify apply", [], { help: true }).at(at).line()).toBe("amp notify apply --help");
});
