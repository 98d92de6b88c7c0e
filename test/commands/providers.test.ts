import { describe, expect, it } from "vitest";
import { AUTH_TYPES } from "../../src/api/catalogue/auth-types.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { displayWidth } from "../../src/ui/text.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { catalogueText } from "../provider-catalogue.ts";

const TERMINAL: RunInput = { tty: true, env: { NO_COLOR: "1" } };

const get = (name: string, world: RunInput = {}) => run(["providers", "get", name], world);

/** As the spec has it, and no more: everything that may be missing is. */
const BARE = {
  name: "bare",
  authType: "none",
  baseURL: "https://x.example",
  defaultModule: "",
  support: {},
};

describe("amp providers get", () => {
  it.each(["hubspot", "stripe", "zendesk", "ghost", "datadog", "frankfurter"])(
    "lays %s out for reading at 80 columns",
    async (name) => {
      const { code, stdout, stderr } = await get(name, { ...TERMINAL, sandbox: sandboxAt() });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
      await expect(stdout).toMatchFileSnapshot(`./golden/provider-${name}.txt`);
    },
  );

  it("has a golden page for each type of authentication", async () => {
    const outcome = await run(["providers", "list", "--json"], { sandbox: sandboxAt() });
    const types = (outcome.json() as { authType: string }[]).map(({ authType }) => authType);
    expect(types.sort()).toEqual([...AUTH_TYPES].sort());
  });

  it("shows a provider of which next to nothing is known", async () => {
    const { code, stdout } = await get("bare", { ...TERMINAL, replies: [{ body: BARE }] });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "bare                                                    none · https://x.example",
        "",
        "Supports      not specified",
        "",
        "Before login  no input required",
        "",
      ].join("\n"),
    );
  });

  it("shows no separator where the base URL is missing", async () => {
    const { baseURL: _, ...body } = BARE;
    const { code, stdout } = await get("bare", { replies: [{ body }] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bare\tnone\n/u);
  });

  it("shows no method of a health check that the service does not report", async () => {
    const shown = async (check: object) => {
      const body = { ...BARE, authHealthCheck: { url: "https://x.example/me", ...check } };
      return (await get("bare", { ...TERMINAL, replies: [{ body }] })).stdout;
    };
    expect(await shown({})).toContain("Health check  https://x.example/me\n");
    expect(await shown({ method: "HEAD" })).toContain("Health check  HEAD https://x.example/me\n");
  });

  it.each([
    ["oauth2", "oauth2Opts", "apiKeyOpts"],
    ["apiKey", "apiKeyOpts", "oauth2Opts"],
  ])("remarks that a provider of authType %s has no %s", async (authType, needed, other) => {
    const remark = `Provider bare has no ${needed}, which the specification requires for authType ${authType}\n`;
    const of = (options: object) =>
      run(["providers", "get", "bare", "-o", "yaml"], {
        replies: [{ body: { ...BARE, authType, ...options } }],
      });
    for (const options of [{}, { [needed]: null }, { [other]: {} }]) {
      expect(await of(options)).toMatchObject({ code: 0, stderr: remark });
    }
    expect(await of({ [needed]: {} })).toMatchObject({ code: 0, stderr: "" });
    expect((await of({ [needed]: 5 })).stderr).toContain("1 field is not as specified");
    expect((await of({ authType: "none" })).stderr).toBe("");
  });

  it("takes null for missing, unknown types, and unknown fields into the JSON", async () => {
    const odd = {
      ...BARE,
      authType: "quantum",
      oauth2Opts: null,
      labels: null,
      media: null,
      support: { read: true, teleport: true, batchWrite: { create: null } },
      somethingNew: { deep: [1] },
    };
    const shown = await get("bare", { ...TERMINAL, replies: [{ body: odd }] });
    expect(shown.stdout).toContain("quantum · https://x.example");
    const json = await run(["providers", "get", "bare", "--json"], { replies: [{ body: odd }] });
    expect(json.json()).toEqual(odd);
  });

  it("needs no credential", async () => {
    const env = { AMP_API_KEY: undefined, AMP_PROJECT: undefined };
    const { code, requests } = await get("bare", { env, replies: [{ body: BARE }] });
    expect(code).toBe(0);
    expect(requests[0]?.headers.has("x-api-key")).toBe(false);
    expect(requests[0]?.headers.has("authorization")).toBe(false);
  });

  it("encodes any name, and leads from an unknown one to the list", async () => {
    const { code, requests, stderr } = await get("a/b #?%", { sandbox: sandboxAt() });
    expect(code).toBe(3);
    expect(requests[0]?.path).toBe("/providers/a%2Fb%20%23%3F%25");
    expect(stderr).toContain("Try: amp providers list");
    expect(await get("..", { replies: [] })).toMatchObject({ code: 2, requests: [] });
  });

  it("takes any case, and the display name", async () => {
    for (const name of ["HubSpot", "HUBSPOT", "hub spot", "hübspot"]) {
      const { code, stdout, stderr } = await run(["providers", "get", name, "-o", "id"], {
        sandbox: sandboxAt(),
      });
      expect({ name, code, stdout, stderr }).toEqual({
        ...{ name, code: 0, stdout: "hubspot\n", stderr: "" },
      });
    }
    const { requests } = await get("hubspot", { sandbox: sandboxAt() });
    expect(requests).toHaveLength(1);
  });

  it("takes a unique prefix, and leads to the nearest name", async () => {
    const near = await get("hubspt", { sandbox: sandboxAt() });
    expect(near.code).toBe(3);
    expect(near.stderr).toContain('Did you mean "hubspot"?');
    expect(near.stderr).toContain("Try: amp providers get hubspot");
    const part = await get("stri", { sandbox: sandboxAt() });
    expect(part).toMatchObject({ code: 0, stdout: expect.stringContaining("(stripe)") });
    const specOnly = await get("nobody", { sandbox: sandboxAt(NOW, { specOnly: true }) });
    expect(specOnly).toMatchObject({ code: 3, stdout: "" });
  });

  it("lists providers of one display name, with what tells them apart", async () => {
    const twin = (name: string) => ({ ...BARE, name, displayName: "Twin CRM" });
    const replies = [
      { status: 404, body: { status: 404 } },
      { path: "/providers", body: { one: twin("one"), two: twin("two") } },
    ];
    const several = await get("twin crm", { replies });
    expect(several).toMatchObject({ code: 5, stdout: "" });
    expect(several.stderr).toMatch(/one +Twin CRM +none\n +two +Twin CRM +none/u);
  });

  it("never lets the service's characters at the terminal", async () => {
    const hostile = {
      ...BARE,
      displayName: "Evil \u001b[2J\u202eCorp\u0007",
      baseURL: "https://x\u009b31m",
    };
    const { stdout } = await get("bare", { ...TERMINAL, replies: [{ body: hostile }] });
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(stdout).toContain("Evil \\u{1b}[2J\\u{202e}Corp\\u{7} (bare)");
  });

  it("gives a pipe each value in a row of its own", async () => {
    const { stdout } = await get("stripe", { sandbox: sandboxAt() });
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows[0]).toEqual(["Stripe (stripe)", "apiKey · https://api.stripe.com"]);
    expect(rows.every((row) => row.length <= 2)).toBe(true);
  });
});

describe("amp providers list", () => {
  it("is sorted, and tells what each supports", async () => {
    const { stdout, stderr } = await run(["providers", "list"], {
      ...TERMINAL,
      sandbox: sandboxAt(),
    });
    await expect(stdout + stderr).toMatchFileSnapshot("./golden/providers-list.txt");
  });

  it("is filtered by everything that providers get and compare say is supported", async () => {
    const having = async (capability: string) => {
      const args = ["providers", "list", "--filter", `supports~${capability}`, "-o", "id"];
      return (await run(args, { sandbox: sandboxAt() })).stdout.trim().split("\n");
    };
    expect(await having("bulk:insert")).toEqual(["stripe"]);
    expect(await having("delete")).toEqual(expect.arrayContaining(["ghost", "stripe"]));
    expect(await having("batch:upsert")).toEqual(["hubspot"]);
  });

  it("names a provider that does not name itself by its key, and prints it as it came", async () => {
    const body = { b: null, a: "text", c: { ...BARE, name: undefined, authType: "none" } };
    const list = (...args: string[]) =>
      run(["providers", "list", ...args], { replies: [{ body }] });
    expect((await list("-o", "id")).stdout).toBe("a\nb\nc\n");
    expect((await list("-o", "tsv")).stdout).toContain("\nc\tc\tnone");
    const { name, ...rest } = BARE;
    expect((await list("--json")).json()).toEqual(["text", null, rest]);
    expect((await list("-o", "yaml")).stderr).toMatch(/^\d+ fields are not as specified: /u);
  });

  it("filters by a part of a name, in any case", async () => {
    const ids = async (...args: string[]) =>
      (await run(["providers", "list", ...args, "-o", "id"], { sandbox: sandboxAt() })).stdout;
    expect(await ids("HUB")).toBe("hubspot\n");
    expect(await ids("nobody")).toBe("");
    expect(await ids("s", "--auth-type", "apiKey")).toBe("stripe\n");
  });

  it("filters by type of authentication, a new one too, and refuses one that nobody has", async () => {
    const ids = async (type: string, sandbox: Sandbox) =>
      (await run(["providers", "list", "--auth-type", type, "-o", "id"], { sandbox })).stdout;
    expect(await ids("apiKey", sandboxAt())).toBe("stripe\n");
    expect(await ids("none", sandboxAt())).toBe("frankfurter\n");
    const body = { bare: { ...BARE, authType: "quantum" } };
    const list = (type: string) =>
      run(["providers", "list", "--auth-type", type, "-o", "id"], { replies: [{ body }] });
    expect((await list("quantum")).stdout).toBe("bare\n");
    // A type of the specification that no provider has.
    expect(await list("jwt")).toMatchObject({ code: 0, stdout: "" });
    const mistyped = await list("APIKEY");
    expect(mistyped).toMatchObject({ code: 2, stdout: "" });
    expect(mistyped.stderr).toContain('--auth-type: no provider has the type "APIKEY"');
    expect(mistyped.stderr).toContain("Did you mean apiKey? Choose one of: oauth2, apiKey,");
  });

  it("names a mistyped type of authentication to somebody who is not logged in", async () => {
    const listed = (type: string) =>
      run(["providers", "list", "--auth-type", type], {
        env: { AMP_BASE_URL: undefined, AMP_API_KEY: undefined },
      });
    const mistyped = await listed("oath2");
    expect(mistyped).toMatchObject({ code: 2, stdout: "" });
    expect(mistyped.stderr).toContain("Did you mean oauth2? Choose one of: oauth2, apiKey,");
    // A service may have further types.
    const unknown = await listed("quantum");
    expect(unknown).toMatchObject({ code: 4 });
    expect(unknown.stderr).toContain("Not logged in");
  });

  it("says where the service has no such list", async () => {
    const { code, stdout, stderr } = await run(["providers", "list"], {
      sandbox: sandboxAt(NOW, { specOnly: true }),
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toBe(
      "✗ This service does not list its providers\n  Try: amp providers get <name>\n",
    );
  });
});

describe.skipIf(catalogueText === undefined)("the real catalogue", () => {
  it("lists and shows every provider, no line wider than the terminal but for URLs", async () => {
    const { catalog: providers } = JSON.parse(catalogueText ?? "") as {
      catalog: Record<string, { displayName?: string }>;
    };
    const sandbox = sandboxAt(NOW, { providers });
    const names = (await run(["providers", "list", "--output", "id"], { sandbox })).stdout;
    expect(names.trimEnd().split("\n").sort()).toEqual(Object.keys(providers).sort());
    expect(Object.keys(providers)).toHaveLength(238);
    for (const [name, { displayName }] of Object.entries(providers)) {
      const wanted = displayName ?? name.toUpperCase();
      const { code, stdout } = await run(["providers", "get", wanted, "-o", "id"], { sandbox });
      if (code !== 5) expect({ wanted, stdout }).toEqual({ wanted, stdout: `${name}\n` });
    }
    for (const name of Object.keys(providers)) {
      const { code, stdout, stderr } = await get(name, { ...TERMINAL, sandbox });
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
      expect(stdout).not.toMatch(/undefined|\[object|NaN/u);
      for (const line of stdout.split("\n")) {
        // What is too long for a line is at least alone on it.
        if (displayWidth(line) > 80) expect(line).toMatch(/^(?: *\S.{0,27} {2,}| +)?\S+:\/\/\S+$/u);
      }
    }
  });
});
