import { describe, expect, it } from "vitest";
import { SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { isJsonObject } from "../../src/values/json.ts";
import { type RunInput, run, sandboxAt } from "../harness.ts";

const ID = "ins_08139571";
const INSTALLATION = `/installations/${ID}`;
const ARGV = ["installations", "pause", ID, "--object", "contacts", "--yes"];

/** What the live platform may add to the config of an object; a name of each is that of a secret. */
const FURTHER = {
  password: "correct-horse-battery",
  apiKey: "key-4711",
  backfill: { headers: { Authorization: "Bearer abc" }, defaultPeriod: { days: 30 } },
  mapper: { password: { vault: "v1" } },
};

/** A sandbox whose installations have these fields in their reads, and the answers that it gives. */
function serviceWith(further: object, answers: (request: Request) => Response | undefined) {
  const sandbox = sandboxAt();
  const sent: unknown[] = [];
  const fetch: RunInput["fetch"] = async (request) => {
    if (request.method === "PATCH") sent.push(await request.clone().json());
    const own = answers(request);
    if (own) return own;
    const answer = await sandbox.fetch(request);
    if (!answer.ok || request.method !== "GET") return answer;
    return Response.json(withFields(await answer.json(), further));
  };
  return { sandbox, fetch, sent };
}

/** A copy of an answer in which each object of a config has further fields. */
function withFields(value: unknown, further: object): unknown {
  if (Array.isArray(value)) return value.map((one) => withFields(one, further));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (key !== "objects" || !isJsonObject(item)) return [key, withFields(item, further)];
    const objects = Object.entries(item).map(([name, one]) => [
      name,
      { ...(one as object), ...further },
    ]);
    return [key, Object.fromEntries(objects)];
  });
  return Object.fromEntries(entries);
}

const contactsIn = ([body]: readonly unknown[]): unknown =>
  ["installation", "config", "content", "read", "objects", "contacts"].reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    body,
  );

describe("the object that an update sends", () => {
  it.each([
    ["alone", () => undefined],
    [
      "only in the list",
      ({ method, url }: Request) =>
        method === "GET" && url.endsWith(INSTALLATION)
          ? Response.json({ status: 404 }, { status: 404 })
          : undefined,
    ],
  ])("is as the service has it, where it shows the installation %s", async (_, answers) => {
    const { sandbox, fetch, sent } = serviceWith(FURTHER, answers);
    const { code, stdout, stderr } = await run(ARGV, { sandbox, fetch });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "contacts\tpaused\n" });
    expect(sent).toHaveLength(1);
    expect(contactsIn(sent)).toMatchObject({ ...FURTHER, disabled: true });
    expect(stderr).not.toContain("correct-horse");
  });

  it("has the fields that are not as specified unchanged", async () => {
    const odd = { selectedFields: { email: "true", name: true }, schedule: { every: 5 } };
    const { sandbox, fetch, sent } = serviceWith(odd, () => undefined);
    expect((await run(ARGV, { sandbox, fetch })).code).toBe(0);
    expect(contactsIn(sent)).toMatchObject(odd);
  });

  it("is not sent where its secrets cannot be had", async () => {
    let lists = 0;
    const { sandbox, fetch, sent } = serviceWith(FURTHER, ({ method, url }) => {
      if (method !== "GET" || !/\/installations(?:\/|$)/u.test(new URL(url).pathname)) return;
      lists += 1;
      return lists > 1 ? Response.json([]) : undefined;
    });
    const refused = await run([...ARGV, "--integration", SANDBOX_DEFAULTS.integration, "--json"], {
      sandbox,
      fetch,
    });
    expect(refused.code).toBe(7);
    expect(refused.error()).toMatchObject({ done: "Nothing was changed." });
    expect(sent).toEqual([]);
  });

  it("hides its secrets in a dry run", async () => {
    const { sandbox, fetch, sent } = serviceWith(FURTHER, () => undefined);
    const { code, stdout } = await run([...ARGV, "--dry-run"], { sandbox, fetch });
    expect(code).toBe(0);
    expect(stdout).toContain('"password":"[redacted]"');
    expect(stdout).not.toContain("correct-horse");
    expect(sent).toEqual([]);
  });
});
