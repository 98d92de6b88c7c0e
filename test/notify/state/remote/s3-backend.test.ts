import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { AmpError } from "../../../../src/errors.ts";
import { s3Backend, s3Location } from "../../../../src/notify/state/remote/s3.ts";
import { type SuggestedCommand, suggestedLines } from "../../../../src/values/suggested-command.ts";
import { holdLock, lockRequest } from "../backend-conformance.ts";
import { thrownAtOnce, thrownBy } from "../state-fixture.ts";
import {
  S3_CREDENTIAL,
  type StorageBehavior,
  startStorage,
  type TestStorage,
} from "./s3-storage.ts";
import { faultsOf, type ServerFault } from "./test-server.ts";

let server: TestStorage;
const warnings: string[] = [];
afterEach(async () => {
  warnings.splice(0);
  await server?.close();
});

async function start(manners: StorageBehavior = {}) {
  server = await startStorage(manners);
  return open();
}

function open(env: Readonly<Record<string, string>> = S3_CREDENTIAL, bucket = "states") {
  const place = s3Location(`s3://${bucket}/routing.json?endpoint=${server.origin}`, env);
  const warn = (text: string, ...commands: readonly SuggestedCommand[]) =>
    warnings.push([text, ...suggestedLines(commands)].join(" "));
  return s3Backend(place, { pollMs: 2, backoffMs: 1, warn });
}

describe("a save to S3", () => {
  const saving = (...texts: string[]) =>
    open().withLock(lockRequest(), async (held) => {
      await held.read();
      for (const text of texts) await held.write(text, "intent");
    });

  it.each<[string, ServerFault[]]>([
    ["breaks before it was done", ["before"]],
    ["breaks after it was done", ["after"]],
    ["breaks both ways", ["before", "after"]],
    ["is answered 503 and 409", [503, 409]],
  ])("is repeated if it %s", async (_, each) => {
    await start();
    server.fault = faultsOf({ method: "PUT", suffix: "routing.json" }, ...each);
    await saving("1", "2");
    expect(server.objects.get("routing.json")).toBe("2");
    server.fault = faultsOf({ method: "PUT", suffix: "routing.json" }, ...each);
    await saving("3", "4");
    expect([...server.objects]).toEqual([["routing.json", "4"]]);
  });

  it("fails after three attempts, with the old text in place", async () => {
    await start();
    await saving("1");
    server.fault = faultsOf({ method: "PUT", suffix: "routing.json" }, 500, 500, 500);
    expect(await thrownBy(saving("2"))).toMatchObject({
      name: "ServiceError",
      message: "Could not save s3://states/routing.json: the server answered 500",
    });
    expect([...server.objects]).toEqual([["routing.json", "1"]]);
  });

  it("is repeated once without the quotes of the tag where Ceph refuses its own", async () => {
    await start({ ceph: true });
    await saving("1", "2", "3");
    expect([...server.objects]).toEqual([["routing.json", "3"]]);
    const conditions = server.asked.flatMap(({ method, url, headers }) =>
      method === "PUT" && url.pathname.endsWith(".json") ? [headers["if-match"]] : [],
    );
    const tags = ["1", "2"].map((text) => createHash("md5").update(text).digest("hex"));
    expect(conditions).toEqual([undefined, `"${tags[0]}"`, ...tags]);
  });

  it.each<[string, StorageBehavior]>([
    ["S3", {}],
    ["Ceph", { ceph: true }],
  ])(
    "that arrived in %s although it seemed to fail is this run's own to the next",
    async (_, manners) => {
      const backend = await start(manners);
      const { held, free } = await holdLock(backend);
      for (const texts of [
        ["1", "2"],
        ["3", "4"],
      ] as const) {
        await held.read();
        server.fault = ({ method, url }) => {
          if (!url.pathname.endsWith(".json")) return undefined;
          return method === "PUT" ? "after" : "before";
        };
        expect(await thrownBy(held.write(texts[0], "intent"))).toMatchObject({ exit: "service" });
        server.fault = () => undefined;
        await held.write(texts[1], "result");
        expect(server.objects.get("routing.json")).toBe(texts[1]);
      }
      await free();
    },
  );

  it("is read back once, and refused where the storage dropped it", async () => {
    await start({ forgetful: true });
    const error = await thrownBy(saving("1"));
    expect(error).toMatchObject({ exit: "service" });
    expect(error.message).toBe("s3://states/routing.json does not have what was saved");
    expect([...server.objects]).toEqual([]);
    await server.close();
    await start();
    await saving("1", "2");
    // One to know what is there, one after the first save.
    const reads = server.asked.filter(
      ({ method, url }) => method === "GET" && url.pathname.endsWith(".json"),
    );
    expect(reads).toHaveLength(2);
  });

  it.each<[string, StorageBehavior]>([
    ["S3", {}],
    ["Ceph", { ceph: true }],
  ])("never replaces the text of another run in %s, with a lock or without", async (_, manners) => {
    const backend = await start(manners);
    const { held, free } = await holdLock(backend);
    expect(await held.read()).toBeUndefined();
    server.objects.set("routing.json", "theirs");
    expect(await thrownBy(held.write("mine", "intent"))).toMatchObject({
      name: "ConflictError",
      message: "s3://states/routing.json was changed by another run while it was locked",
    });
    expect(await held.read()).toBe("theirs");
    server.objects.delete("routing.json");
    expect(await thrownBy(held.write("mine", "intent"))).toMatchObject({ name: "ConflictError" });
    await free();
  });
});

describe("the lock in S3", () => {
  it.each<[string, ServerFault[]]>([
    ["breaks before it is made", ["before"]],
    ["breaks after it is made", ["after"]],
    ["is answered 409", [409]],
  ])("is taken if it %s", async (_, each) => {
    const backend = await start();
    server.fault = faultsOf({ method: "PUT", suffix: ".lock" }, ...each);
    expect(await backend.withLock(lockRequest(), async () => 7)).toBe(7);
    expect([...server.objects]).toEqual([]);
  });

  it("is refused by a storage that does not support conditional writes", async () => {
    const backend = await start({ unconditional: true });
    const work = () => expect.unreachable("no work without a lock");
    expect(await thrownBy(backend.withLock(lockRequest(), work))).toMatchObject({
      name: "UsageError",
      message: "The storage of s3://states/routing.json does not support conditional writes",
    });
    expect([...server.objects]).toEqual([]);
  });

  it("that cannot be released gives a warning", async () => {
    const backend = await start();
    server.fault = faultsOf({ method: "DELETE", suffix: ".lock" }, 403);
    expect(await backend.withLock(lockRequest(), async () => 7)).toBe(7);
    expect(warnings).toEqual([
      expect.stringMatching(/answered 403.*amp notify state unlock [\da-f-]+$/u),
    ]);
  });
});

describe("a storage", () => {
  it("that refuses the credential is quoted, without the secret", async () => {
    await start();
    const backend = open({ ...S3_CREDENTIAL, AWS_SECRET_ACCESS_KEY: "another-secret" });
    const error = await thrownBy(backend.read());
    expect(error).toMatchObject({
      name: "AuthError",
      message: "Could not read s3://states/routing.json: the server answered 403",
    });
    expect(error.facts.detail).toBe("SignatureDoesNotMatch: As SignatureDoesNotMatch says.");
    expect(JSON.stringify(error.facts)).not.toContain("another-secret");
  });

  it("without the bucket gives an error, not an empty state", async () => {
    await start();
    const error = await thrownBy(open(S3_CREDENTIAL, "others").read());
    expect(error.facts.detail).toContain("NoSuchBucket");
  });
});

describe("the location of an object", () => {
  it.each([
    ["s3://states/a/b.json", {}, "https://states.s3.eu-central-1.amazonaws.com/", "a/b.json"],
    ["s3://states/a?region=us-west-2", {}, "https://states.s3.us-west-2.amazonaws.com/", "a"],
    ["s3://my.states/a", {}, "https://s3.eu-central-1.amazonaws.com/my.states/", "a"],
    ["s3://states/a?region=cn-north-1", {}, "https://states.s3.cn-north-1.amazonaws.com.cn/", "a"],
    ["s3://states/a%20b?endpoint=https://m.test/", {}, "https://m.test/states/", "a b"],
    ["s3://states/a?endpoint=http://[::1]:9", { AWS_REGION: "" }, "http://[::1]:9/states/", "a"],
  ])("of %s with %j", (address, env, base, key) => {
    const place = s3Location(address, { ...S3_CREDENTIAL, ...env });
    expect([place.base.href, place.key]).toEqual([base, key]);
  });

  it("carries the token of a session, signed", async () => {
    const sent: Request[] = [];
    const place = s3Location("s3://states/a+b (1).json", {
      ...S3_CREDENTIAL,
      AWS_SESSION_TOKEN: "token",
    });
    const fetch = async (request: Request) => {
      sent.push(request);
      return new Response("{}", { headers: { etag: '"1"' } });
    };
    const network = async () => ({ fetch, proxyFor: () => undefined });
    const backend = s3Backend(place, { network });
    expect(await backend.read()).toBe("{}");
    const [request] = sent;
    expect(request?.url).toBe("https://states.s3.eu-central-1.amazonaws.com/a%2Bb%20(1).json");
    expect(request?.headers.get("x-amz-security-token")).toBe("token");
    expect(request?.headers.get("authorization")).toContain("x-amz-security-token");
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["s3://states", S3_CREDENTIAL, "is not a valid S3 URL"],
    ["s3:///key", S3_CREDENTIAL, "is not a valid S3 URL"],
    ["s3://UPPER/key", S3_CREDENTIAL, "is not a valid S3 URL"],
    ["s3://states/key?acl=public", S3_CREDENTIAL, "is not a valid S3 URL"],
    ["s3://states/a%ZZ", S3_CREDENTIAL, "is not a valid S3 URL"],
    ["s3://states/key?endpoint=http://m.test", S3_CREDENTIAL, "The S3 endpoint must use https"],
    ["s3://states/key", { ...S3_CREDENTIAL, AWS_REGION: "" }, "The region of bucket states"],
    ["s3://states/key", { AWS_REGION: "eu-central-1" }, "requires AWS_ACCESS_KEY_ID and"],
  ])("is not %s with %j", (address, env, message) => {
    const error = thrownAtOnce(() => s3Location(address, env));
    expect(error).toMatchObject({ name: "UsageError", message: expect.stringContaining(message) });
  });

  it.each([
    ["s3:///key", "The bucket is missing."],
    ["s3://UPPER/key", '"UPPER" is not a valid bucket name'],
    ["s3://a/key", '"a" is not a valid bucket name'],
    ["s3://states", "The key is missing: a path after the bucket"],
    ["s3://states/", "The key is missing: a path after the bucket"],
    ["s3://states/a%ZZ", "The key has an invalid % escape."],
    ["s3://states/key?regon=eu", "Unknown parameter: regon."],
    ["s3://states/key#1", "Write # as %23."],
  ])("says why %s is not a valid URL", (address, why) => {
    const { facts } = thrownAtOnce(() => s3Location(address, S3_CREDENTIAL)) as AmpError;
    expect(facts.detail).toContain(why);
  });
});
