import { expect, test } from "vitest";
import { provider } from "../../../src/api/schemas/provider.ts";
import { UsageError } from "../../../src/errors.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { catalogueText } from "../../provider-catalogue.ts";
import { ask, fresh } from "../ask.ts";

const ONE = {
  zulip: {
    zeta: 1,
    name: "zulip",
    authType: "basic",
    baseURL: "https://x.example",
    defaultModule: "",
    support: { read: true, later: "yes" },
    grantType: "unheard of",
  },
};

test("a catalogue is served unchanged, wrapped or bare, unknown fields in their order", async () => {
  for (const text of [JSON.stringify({ catalog: ONE, timestamp: "x" }), JSON.stringify(ONE)]) {
    const sandbox = fresh({ providers: JSON.parse(text) });
    const got = await ask(sandbox, "GET /providers/zulip");
    expect(got.text).toBe(JSON.stringify(ONE.zulip));
    expect((await ask(sandbox, "GET /providers/hubspot")).status).toBe(404);
    expect((await ask(sandbox, "GET /providers")).text).toBe(JSON.stringify(ONE));
  }
});

test.each([
  ["[]", /must be an object of providers/u],
  ["null", /must be an object of providers/u],
  ['{"catalog": 7}', /must be an object of providers/u],
  ['{"catalog": {"zulip": 7}}', /not valid: zulip: /u],
  ['{"zulip": {"name": "zulip"}}', /not valid: zulip\.authType: /u],
  [
    JSON.stringify({ zulip: { ...ONE.zulip, support: { read: "yes" } } }),
    /not valid: zulip\.support\.read: /u,
  ],
  [JSON.stringify({ other: ONE.zulip }), /other\.name is "zulip", not the key/u],
])("%s is not a catalogue", (text, reason) => {
  const create = () => createSandbox({ providers: JSON.parse(text) });
  expect(create).toThrow(UsageError);
  expect(create).toThrow(reason);
});

const real = catalogueText;

test("all providers of the real catalogue are served", async (context) => {
  if (real === undefined) return context.skip("AMP_TEST_CATALOGUE is not set");
  const { catalog } = JSON.parse(real);
  const sandbox = fresh({ providers: JSON.parse(real) });
  const names = Object.keys(catalog);
  expect(names).toHaveLength(238);
  for (const name of names) {
    const { status, text } = await ask(sandbox, `GET /providers/${encodeURIComponent(name)}`);
    expect.soft(status, name).toBe(200);
    expect.soft(text, name).toBe(JSON.stringify(catalog[name]));
    expect.soft(provider.safeParse(JSON.parse(text)).error, name).toBeUndefined();
  }
});
