import { describe, expect, it } from "vitest";
import type { Provider } from "../../src/api/schemas/provider.ts";
import { compareProviders } from "../../src/commands/providers/compare.ts";
import { providerRemarks } from "../../src/inspect/providers.ts";
import { displayWidth } from "../../src/ui/text.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { catalogueText } from "../provider-catalogue.ts";

const compare = (args: readonly string[], world: RunInput = {}) =>
  run(["providers", "compare", ...args], { sandbox: sandboxAt(), ...world });

const BARE: Provider = {
  name: "shop",
  authType: "none",
  baseURL: "https://shop.example",
  defaultModule: "",
  support: {},
};

describe("amp providers compare", () => {
  it.each([60, 80, 140])("shows what differs side by side at %d columns", async (columns) => {
    const world = { tty: true, columns, env: { NO_COLOR: "1" } };
    const { code, stdout } = await compare(["hubspot", "Zendesk", "--require", "read"], world);
    expect(code).toBe(0);
    for (const line of stdout.split("\n")) {
      if (!line.includes("://")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
    await expect(stdout).toMatchFileSnapshot(`./golden/providers-compare-${columns}.txt`);
  });

  it("exits 8 unless both providers meet --require", async () => {
    expect((await compare(["hubspot", "stripe", "--require", "read,proxy"])).code).toBe(0);
    const failed = await compare(["hubspot", "stripe", "--require", "read,subscribe", "--json"]);
    expect(failed.code).toBe(8);
    expect(failed.json()).toMatchObject({
      required: [
        { capability: "read", first: true, second: true },
        { capability: "subscribe", first: true, second: false },
      ],
    });
    const unknown = await compare(["hubspot", "stripe", "--require", "fly"]);
    expect(unknown).toMatchObject({ code: 2, requests: [] });
    expect((await compare(["hubspot", "nobody"])).code).toBe(3);
  });

  it("says that a provider does not differ from itself, and is rows in a pipe", async () => {
    expect((await compare(["hubspot", "HubSpot", "--json"])).json()).toMatchObject({
      differences: [],
    });
    const { stdout } = await compare(["hubspot", "stripe"]);
    expect(stdout).toContain("capability\tsubscribe\tyes\tno\n");
    expect((await compare(["hubspot", "stripe", "-o", "id"])).stdout).toBe("hubspot\nstripe\n");
  });

  it("tells no from not specified, in every capability", () => {
    const result = compareProviders(
      {
        ...BARE,
        support: { read: true, write: false, batchWrite: { create: { supported: true } } },
      },
      { ...BARE, support: { read: true, proxy: false, search: null } },
      ["write", "batch:create"],
    );
    expect(result.differences).toEqual([
      { area: "capability", property: "write", first: "no" },
      { area: "capability", property: "batch:create", first: "yes" },
      { area: "capability", property: "proxy", second: "no" },
    ]);
    expect(result.bothSupport).toEqual(["read"]);
    expect(result.neitherSupports).toEqual([]);
    expect(result.required).toEqual([
      { capability: "write", first: false, second: false },
      { capability: "batch:create", first: true, second: false },
    ]);
  });
});

describe("the remarks on a provider", () => {
  const field = (capture?: string) => ({
    oauth2Opts: {
      tokenMetadataFields: { otherFields: [{ name: "hub", ...(capture ? { capture } : {}) }] },
    },
  });
  it.each<readonly [object, RegExp | undefined]>([
    [{}, undefined],
    [{ authType: "oauth2" }, /no oauth2Opts, which the specification requires/u],
    [{ authType: "oauth2", oauth2Opts: {} }, undefined],
    [{ authType: "apiKey" }, /no apiKeyOpts/u],
    [{ authType: "apiKey", apiKeyOpts: {} }, undefined],
    [{ authType: "oauth2", ...field() }, undefined],
    [{ authType: "oauth2", ...field("^(?P<result>.*)$") }, undefined],
    [{ authType: "oauth2", ...field("^(?<result>.*)$") }, undefined],
    [
      { authType: "oauth2", ...field("^(.*)$") },
      /capture of token field hub has no group named result/u,
    ],
  ])("of %j", (more, expected) => {
    const remarks = providerRemarks({ ...BARE, ...more });
    expect(remarks).toHaveLength(expected === undefined ? 0 : 1);
    if (expected) expect(remarks[0]).toMatch(expected);
  });

  it.each([[1.5], [["^(.*)$"]], [{ x: 1 }]])(
    "leave out a capture that is not text: %j",
    async (capture) => {
      const { oauth2Opts } = field();
      oauth2Opts.tokenMetadataFields.otherFields[0] = { name: "hub", capture: capture as never };
      const body = { ...BARE, authType: "oauth2", oauth2Opts };
      const { code, stderr } = await run(["providers", "get", "shop", "-o", "yaml"], {
        replies: [{ body }],
      });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^1 field is not as specified: .*capture: expected string.*\n$/u);
    },
  );

  it("are warnings of providers get", async () => {
    const body = { ...BARE, authType: "oauth2", ...field("^(.*)$") };
    const { code, stderr } = await run(["providers", "get", "shop"], { replies: [{ body }] });
    expect(code).toBe(0);
    expect(stderr).toContain("capture of token field hub has no group named result");
  });
});

describe.skipIf(catalogueText === undefined)("the real catalogue", () => {
  it("is compared and remarked on, each provider with the next", async () => {
    const { catalog } = JSON.parse(catalogueText ?? "") as { catalog: Record<string, Provider> };
    const sandbox = sandboxAt(NOW, { providers: catalog });
    const names = Object.keys(catalog);
    for (const [at, name] of names.entries()) {
      const args = [name, names[(at + 1) % names.length] ?? ""];
      const { code, stdout } = await compare(args, { sandbox, tty: true, env: { NO_COLOR: "1" } });
      expect({ name, code }).toEqual({ name, code: 0 });
      expect(stdout).not.toMatch(/undefined|\[object|NaN/u);
      expect({ name, remarks: providerRemarks(catalog[name] as Provider) }).toEqual({
        name,
        remarks: [],
      });
    }
  });
});
