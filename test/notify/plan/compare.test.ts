import { describe, expect, it } from "vitest";
import { addressOf } from "../../../src/notify/model/address.ts";
import { fieldDigest } from "../../../src/notify/model/canonical.ts";
import type { LiveRecord } from "../../../src/notify/model/resource.ts";
import { type Resource, resourceAt } from "../../../src/notify/model/routing.ts";
import { compare, isContradicted, listedField } from "../../../src/notify/plan/compare.ts";
import type { Entry } from "../../../src/notify/state/state.ts";
import { REDACTED, Secret } from "../../../src/secrets/secret.ts";

const KEY = "key of the state";
const PATH = "metadata.region";
const WORDS = ["unseen", "hidden", "unknown"];

/** What the state knows of a value: its digest, or a word. */
function known(value: string, path = PATH): string {
  const { instead, digested } = /^(?<instead>instead:)?(?<digested>.*)$/u.exec(value)?.groups ?? {};
  return WORDS.includes(value) ? value : `${instead ?? ""}${fieldDigest(KEY, path, digested)}`;
}

function destination(region: string, name = "ops"): Resource {
  const content = { type: "kinesis", metadata: { region } };
  return { ...resourceAt(addressOf("destination", name)), content };
}

function entryOf(fields: Readonly<Record<string, readonly [string, string]>>, name = "ops"): Entry {
  const type = known("kinesis", "type");
  const digests = Object.entries(fields).map(
    ([path, [sent, shown]]): [string, [string, string]] => [
      path,
      [known(sent, path), known(shown, path)],
    ],
  );
  return {
    ...{ id: "d-1", owner: "file:ops", made: "amp", key: [name], time: "2026-01-02T03:04:05Z" },
    fields: { type: [type, type], ...Object.fromEntries(digests) },
  };
}

/** A listed destination; `hidden`: the list masks the value; `unseen`: it has no metadata. */
function listed(region: string, name: string | null = "ops"): LiveRecord {
  const metadata =
    region === "unseen" ? undefined : { region: region === "hidden" ? "***" : region };
  return { id: "d-1", name, type: "kinesis", metadata };
}

describe("a field", () => {
  it.each`
    why                                        | file   | sent         | shown          | list        | result
    ${"nothing changed"}                       | ${"a"} | ${"a"}       | ${"a"}         | ${"a"}      | ${"same"}
    ${"changed in the file"}                   | ${"b"} | ${"a"}       | ${"a"}         | ${"a"}      | ${"ours"}
    ${"changed at the service"}                | ${"a"} | ${"a"}       | ${"a"}         | ${"b"}      | ${"drift"}
    ${"changed in both, to the same"}          | ${"b"} | ${"a"}       | ${"a"}         | ${"b"}      | ${"same"}
    ${"changed in both, otherwise"}            | ${"b"} | ${"a"}       | ${"a"}         | ${"c"}      | ${"both"}
    ${"sent, and not listed yet"}              | ${"a"} | ${"a"}       | ${"unseen"}    | ${"unseen"} | ${"same"}
    ${"sent, and another one listed"}          | ${"a"} | ${"a"}       | ${"unseen"}    | ${"b"}      | ${"drift"}
    ${"and again, once it was sent again"}     | ${"a"} | ${"a"}       | ${"instead:b"} | ${"b"}      | ${"same"}
    ${"and then a third one"}                  | ${"a"} | ${"a"}       | ${"instead:b"} | ${"c"}      | ${"drift"}
    ${"and then as it was sent"}               | ${"a"} | ${"a"}       | ${"instead:b"} | ${"a"}      | ${"same"}
    ${"and changed in the file"}               | ${"c"} | ${"a"}       | ${"instead:b"} | ${"b"}      | ${"ours"}
    ${"and shows it still"}                    | ${"a"} | ${"a"}       | ${"b"}         | ${"b"}      | ${"same"}
    ${"and then a third one"}                  | ${"a"} | ${"a"}       | ${"b"}         | ${"c"}      | ${"drift"}
    ${"changed, where the service kept none"}  | ${"c"} | ${"a"}       | ${"b"}         | ${"b"}      | ${"ours"}
    ${"changed, and never listed"}             | ${"b"} | ${"a"}       | ${"unseen"}    | ${"unseen"} | ${"ours"}
    ${"never listed as sent, and changed"}     | ${"b"} | ${"a"}       | ${"unseen"}    | ${"c"}      | ${"ours"}
    ${"hidden, and the same"}                  | ${"a"} | ${"a"}       | ${"hidden"}    | ${"hidden"} | ${"same"}
    ${"hidden, and changed"}                   | ${"b"} | ${"a"}       | ${"hidden"}    | ${"hidden"} | ${"ours"}
    ${"listed before, and hidden now"}         | ${"a"} | ${"a"}       | ${"a"}         | ${"hidden"} | ${"same"}
    ${"listed before, and no longer"}          | ${"a"} | ${"a"}       | ${"a"}         | ${"unseen"} | ${"same"}
    ${"hidden before, and another one listed"} | ${"a"} | ${"a"}       | ${"hidden"}    | ${"b"}      | ${"same"}
    ${"of an unknown update, listed"}          | ${"a"} | ${"unknown"} | ${"unseen"}    | ${"a"}      | ${"same"}
    ${"of an unknown update, another listed"}  | ${"a"} | ${"unknown"} | ${"unseen"}    | ${"b"}      | ${"ours"}
    ${"of an unknown update, not listed"}      | ${"a"} | ${"unknown"} | ${"unseen"}    | ${"unseen"} | ${"ours"}
  `("$why: $result", ({ file, sent, shown, list, result }) => {
    const entry = entryOf({ [PATH]: [sent, shown] });
    const found = compare(KEY, destination(file), entry, listed(list));
    expect(found.fields).toBe(result);
    expect(found.mask).toEqual(result === "same" ? [] : [PATH]);
  });

  it.each`
    why                              | list        | result
    ${"listed as in the file"}       | ${"a"}      | ${"same"}
    ${"listed with another value"}   | ${"b"}      | ${"both"}
    ${"hidden by the list"}          | ${"hidden"} | ${"both"}
    ${"that the list does not show"} | ${"unseen"} | ${"both"}
  `("without an entry, $why: $result", ({ list, result }) => {
    expect(compare(KEY, destination("a"), undefined, listed(list)).fields).toBe(result);
  });

  it("without lists counts as it was sent", () => {
    const entry = entryOf({ [PATH]: ["a", "unseen"] });
    expect(compare(KEY, destination("a"), entry, undefined).fields).toBe("same");
    expect(compare(KEY, destination("b"), entry, undefined).fields).toBe("ours");
  });

  it("counts without its spelling", () => {
    const entry = entryOf({ [PATH]: ["a", "a"] });
    expect(compare(KEY, destination(" a "), entry, listed("a")).fields).toBe("same");
  });

  it("that is missing from metadata that are listed was changed", () => {
    const entry = entryOf({ [PATH]: ["a", "a"] });
    const record = { ...listed("a"), metadata: {} };
    expect(compare(KEY, destination("a"), entry, record).fields).toBe("drift");
  });

  it("is shown with both values, which of a secret are hidden", () => {
    const entry = entryOf({ [PATH]: ["a", "a"], "secrets.awsKeyId": ["old", "unseen"] });
    const secrets = { awsKeyId: new Secret("new") };
    const found = compare(KEY, { ...destination("b"), secrets }, entry, listed("a"));
    expect(found.differences).toEqual([
      { field: PATH, wanted: "b", found: "a" },
      { field: "secrets.awsKeyId", wanted: REDACTED, found: REDACTED },
    ]);
  });
});

describe("several fields", () => {
  const entry = (stream: string) =>
    entryOf({ [PATH]: ["a", "a"], "metadata.streamName": [stream, "s"] });
  const wanted = (region: string, streamName: string): Resource => ({
    ...destination("a"),
    content: { type: "kinesis", metadata: { region, streamName } },
  });
  const record = (region: string, streamName: string): LiveRecord => ({
    ...listed("a"),
    metadata: { region, streamName },
  });

  it.each`
    why                          | file                | list                | result
    ${"ours outweighs drift"}    | ${wanted("b", "s")} | ${record("a", "t")} | ${"ours"}
    ${"both outweighs the rest"} | ${wanted("b", "s")} | ${record("c", "t")} | ${"both"}
    ${"drift outweighs same"}    | ${wanted("a", "s")} | ${record("a", "t")} | ${"drift"}
  `("$why", ({ file, list, result }) => {
    expect(compare(KEY, file, entry("s"), list).fields).toBe(result);
  });

  it("are in the mask, unless they are the same", () => {
    const { mask } = compare(KEY, wanted("b", "s"), entry("s"), record("a", "t"));
    expect(mask).toEqual([PATH, "metadata.streamName"]);
  });

  it("that the file does not name any more are kept", () => {
    const { fields, keptFields } = compare(KEY, destination("a"), entry("s"), record("a", "t"));
    expect({ fields, keptFields }).toEqual({ fields: "same", keptFields: ["metadata.streamName"] });
  });
});

describe("a name", () => {
  it.each`
    why                                  | file   | sent   | list    | result
    ${"as it was sent"}                  | ${"a"} | ${"a"} | ${"a"}  | ${"same"}
    ${"renamed in the file"}             | ${"b"} | ${"a"} | ${"a"}  | ${"ours"}
    ${"renamed at the service"}          | ${"a"} | ${"a"} | ${"b"}  | ${"drift"}
    ${"renamed in both, to the same"}    | ${"b"} | ${"a"} | ${"b"}  | ${"same"}
    ${"renamed in both, otherwise"}      | ${"b"} | ${"a"} | ${"c"}  | ${"both"}
    ${"that the service writes its way"} | ${"a"} | ${"a"} | ${"A"}  | ${"same"}
    ${"that the list does not show"}     | ${"a"} | ${"a"} | ${null} | ${"same"}
    ${"that is sent, and not shown"}     | ${"b"} | ${"a"} | ${null} | ${"ours"}
  `("$why: $result", ({ file, sent, list, result }) => {
    const entry = entryOf({ [PATH]: ["x", "x"] }, sent);
    const found = compare(KEY, destination("x", file), entry, listed("x", list));
    expect(found.fields).toBe(result);
    expect(found.mask).toEqual(result === "same" ? [] : ["name"]);
  });

  it("of an unknown update is sent again, unless it is listed", () => {
    const entry = entryOf({ [PATH]: ["x", "x"], name: ["unknown", "unseen"] }, "a");
    expect(compare(KEY, destination("x", "b"), entry, listed("x", null)).fields).toBe("ours");
    expect(compare(KEY, destination("x", "b"), entry, listed("x", "b")).fields).toBe("same");
  });
});

describe("secrets", () => {
  const withSecret = (password: string): Resource => ({
    ...destination("a"),
    secrets: { password: new Secret(password) },
  });
  const entry = entryOf({ [PATH]: ["a", "a"], "secrets.password": ["old", "unseen"] });

  it("are ours once they change, and never shown", () => {
    expect(compare(KEY, withSecret("old"), entry, listed("a")).fields).toBe("same");
    const found = compare(KEY, withSecret("new"), entry, listed("a"));
    expect(found).toMatchObject({ fields: "ours", mask: ["secrets.password"], canSend: true });
  });

  it("without an entry are never the same: no list shows them", () => {
    expect(compare(KEY, withSecret("old"), undefined, listed("a")).fields).toBe("both");
  });
});

describe("a field that no update can send", () => {
  const entry = entryOf({ [PATH]: ["a", "a"] });

  it("is a type", () => {
    const other = { ...destination("a"), content: { type: "sqs", metadata: { region: "a" } } };
    const found = compare(KEY, other, entry, listed("a"));
    expect(found).toMatchObject({ fields: "ours", mask: ["type"], canSend: false });
  });

  it("is a field of metadata with a dot in its name, for a path would name another one", () => {
    const metadata = { region: "a", "x.y": "b" };
    const other = { ...destination("a"), content: { type: "kinesis", metadata } };
    expect(compare(KEY, other, entry, listed("a")).canSend).toBe(false);
  });

  it("is a route", () => {
    const route = resourceAt("event-route/t/e");
    const found = compare(KEY, route, undefined, { id: "r-1", topicId: "t-1", eventType: "e" });
    expect(found).toMatchObject({ fields: "same", canSend: false });
  });
});

describe("a value that the service does not keep", () => {
  const entry = (shown: string) => entryOf({ [PATH]: ["a", shown] });

  it("is in place, and told", () => {
    const { notKept } = compare(KEY, destination("a"), entry("instead:b"), listed("b"));
    expect(notKept).toEqual([{ field: PATH, wanted: "a", found: "b" }]);
  });

  it.each(["a", "hidden", "unseen"])("is not what the list shows as %s", (list) => {
    expect(compare(KEY, destination("a"), entry("unseen"), listed(list)).notKept).toEqual([]);
  });

  it("is not an object to which the service has added something", () => {
    const path = "metadata.retry";
    const sent = { times: 3 };
    const fields: Entry["fields"] = { [path]: [fieldDigest(KEY, path, sent), "unseen"] };
    const content = { metadata: { retry: sent } };
    const record = { ...listed("a"), metadata: { retry: { times: 3, after: 5 } } };
    const { notKept } = compare(
      KEY,
      { ...destination("a"), content },
      { ...entry("a"), fields },
      record,
    );
    expect(notKept).toEqual([]);
  });
});

describe("a list that shows what was sent", () => {
  const learned = (shown: string, list: string, isYoung = false) => {
    const entry = entryOf({ [PATH]: ["a", shown] });
    return compare(KEY, destination("a"), entry, listed(list), isYoung).learned?.[PATH];
  };

  it.each`
    why                           | shown          | list        | now
    ${"the value as it was sent"} | ${"unseen"}    | ${"a"}      | ${"a"}
    ${"the value that it keeps"}  | ${"instead:b"} | ${"b"}      | ${"b"}
    ${"that it hides the value"}  | ${"unseen"}    | ${"hidden"} | ${"hidden"}
  `("$why", ({ shown, list, now }) => {
    expect(learned(shown, list)).toEqual([known("a"), known(now)]);
  });

  it.each`
    why                           | shown  | list
    ${"what is known already"}    | ${"a"} | ${"a"}
    ${"by what it leaves out"}    | ${"a"} | ${"unseen"}
    ${"by what somebody changed"} | ${"a"} | ${"b"}
  `("is nothing $why", ({ shown, list }) => {
    expect(learned(shown, list)).toBeUndefined();
  });

  it("is only the value that was sent while an own act is younger than the horizon", () => {
    expect(learned("unseen", "b", true)).toBeUndefined();
    expect(learned("unseen", "a", true)).toEqual([known("a"), known("a")]);
  });

  it("is that a change in the file is in place already", () => {
    const entry = entryOf({ [PATH]: ["a", "a"] });
    const { learned: now } = compare(KEY, destination("b"), entry, listed("b"));
    expect(now?.[PATH]).toEqual([known("b"), known("b")]);
  });
});

describe("a list contradicts what amp did last where it shows", () => {
  const entry = (sent: string, shown: string) => entryOf({ [PATH]: [sent, shown] });
  it.each`
    why                                       | expected | known                         | record
    ${"another name"}                         | ${true}  | ${entry("a", "a")}            | ${listed("a", "dev")}
    ${"another value"}                        | ${true}  | ${entry("a", "unseen")}       | ${listed("b")}
    ${"a value of which nothing is known"}    | ${true}  | ${entry("unknown", "unseen")} | ${listed("a")}
    ${"not the value that was sent"}          | ${false} | ${entry("a", "unseen")}       | ${listed("a")}
    ${"not the value that the service keeps"} | ${false} | ${entry("a", "b")}            | ${listed("b")}
    ${"not a mask"}                           | ${false} | ${entry("a", "unseen")}       | ${listed("hidden")}
    ${"not nothing"}                          | ${false} | ${entry("a", "unseen")}       | ${listed("unseen", null)}
    ${"not the name in another case"}         | ${false} | ${entry("a", "a")}            | ${listed("a", "OPS")}
  `("$why", ({ expected, known: entryThen, record }) => {
    expect(isContradicted(KEY, "destination", entryThen, record)).toBe(expected);
  });

  it("another end of a route", () => {
    const route: Entry = { ...entryOf({}), key: ["t-1", "e"], fields: {} };
    const record = { id: "r-1", topicId: "t-1", eventType: "e" };
    expect(isContradicted(KEY, "event-route", route, record)).toBe(false);
    expect(isContradicted(KEY, "event-route", route, { ...record, topicId: "t-2" })).toBe(true);
  });
});

it.each`
  what                 | record                                                 | path                  | expected
  ${"a value"}         | ${{ id: "1", metadata: { region: "a" } }}              | ${PATH}               | ${known("a")}
  ${"no metadata"}     | ${{ id: "1" }}                                         | ${PATH}               | ${"unseen"}
  ${"a mask"}          | ${{ id: "1", metadata: { region: "…" } }}              | ${PATH}               | ${"hidden"}
  ${"a redacted part"} | ${{ id: "1", metadata: { headers: { a: REDACTED } } }} | ${"metadata.headers"} | ${"hidden"}
  ${"no type"}         | ${{ id: "1", type: "" }}                               | ${"type"}             | ${"unseen"}
`("a list shows $what", ({ record, path, expected }) => {
  expect(listedField(KEY, record, path)).toBe(expected);
});
