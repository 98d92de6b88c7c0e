import { describe, expect, it } from "vitest";
import { version } from "../../src/runtime/version.ts";
import { run } from "../harness.ts";

describe("amp version", () => {
  it("prints the version in one line", async () => {
    const { code, stdout, stderr, requests } = await run(["version"]);
    expect({ code, stderr, requests }).toEqual({ code: 0, stderr: "", requests: [] });
    const { versions, platform, arch } = process;
    expect(stdout).toBe(`amp ${version} (source), node ${versions.node}, ${platform} ${arch}\n`);
  });

  it("says the same as JSON", async () => {
    const { stdout } = await run(["version", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      version,
      runtime: { name: "node", version: process.versions.node },
      platform: process.platform,
      arch: process.arch,
      build: "source",
    });
  });

  it("knows no licences where nothing is embedded, and says so", async () => {
    const { code, stdout } = await run(["version", "--licences", "--json"]);
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: [] });
    const { stderr } = await run(["version", "--licences"]);
    expect(stderr).toContain("No packages are embedded");
  });
});
