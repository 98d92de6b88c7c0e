import { expect, onTestFinished, test, vi } from "vitest";
import { INTEGRATION, serveLongList } from "../network/long-list-server.ts";
import { isBundle, runAmp, runShell } from "./program.ts";

vi.setConfig({ testTimeout: 120_000 });

const COUNT = 40_000;
const LIST = ["installations", "list", INTEGRATION];

async function service() {
  const server = await serveLongList(COUNT);
  onTestFinished(() => server.close());
  const env = { AMP_BASE_URL: server.baseUrl, AMP_API_KEY: "key", AMP_PROJECT: "acme" };
  return { server, env };
}

// Held as a whole the list takes several times as much.
test.skipIf(!isBundle).each(["json", "table", "id"])(
  "a list far larger than its memory is written: %s",
  async (format) => {
    const { server, env } = await service();
    expect(server.bytes).toBeGreaterThan(50_000_000);
    const { code, stdout, stderr } = await runAmp([...LIST, "-o", format], {
      env: { ...env, NODE_OPTIONS: "--max-old-space-size=32" },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("00000000-9a51-");
    expect(stdout).toContain("00039999-9a51-");
  },
);

test("a reader that has seen enough ends it, and the download, without a word", async () => {
  const { server, env } = await service();
  const line = `{ amp ${LIST.join(" ")} -o id; echo "code $?" >&2; } | head -n 1`;
  const { code, stdout, stderr } = await runShell(line, { env });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: "00000000-9a51-42cc-8662-9d9725b17f14\n",
    stderr: "code 0\n",
  });
  expect(server.sent()).toBeLessThan(server.bytes / 2);
});
