import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import {
  type DestinationOptions,
  readDestinationContent,
  readSecretArgument,
} from "../../../src/notify/model/destination-input.ts";
import type { NewDestination } from "../../../src/notify/model/routing.ts";
import type { AnswersSoFar } from "../../../src/notify/setup/answers.ts";
import { setupCommand } from "../../../src/notify/setup/result.ts";
import { Secret } from "../../../src/secrets/secret.ts";
import { foldCommand, quote, shellLine } from "../../../src/values/shell.ts";
import { words } from "../model/routings.ts";

/** What a shell makes of a command line: its words, with these variables set. */
function shellWords(line: string, env: Readonly<Record<string, string>> = {}): string[] {
  const script = `set -- ${line}\nfor word do printf '%s\\0' "$word"; done`;
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

function answersWith(part: NewDestination, name = "ops"): AnswersSoFar {
  return {
    destination: { ...part, name },
    topic: { kind: "new", name: "t" },
    events: ["connection.error"],
  };
}

function newOf(part: Partial<NewDestination>): NewDestination {
  return { kind: "new", type: "webhook", metadata: {}, secrets: {}, ...part };
}

function lineOf(answers: AnswersSoFar) {
  const said = setupCommand(answers, { yes: true });
  if (said === undefined) throw new Error("no command");
  return { line: said.command.line(), variables: said.variables };
}

const EXISTING: AnswersSoFar = {
  destination: { kind: "existing", id: "d_1", name: "archive" },
  topic: { kind: "existing", id: "t_1", name: "t" },
  events: ["a"],
};

const LIFECYCLE: AnswersSoFar = {
  ...answersWith(newOf({ metadata: { url: "https://hooks.acme.com/amp" } }), "ops-webhook"),
  topic: { kind: "new", name: "customer-lifecycle" },
  events: ["installation.created", "installation.deleted", "connection.error"],
};

describe("setupCommand", () => {
  it("contains every answer given to the wizard", () => {
    const { line, variables } = lineOf(LIFECYCLE);
    expect(foldCommand(line, 78)).toEqual([
      "amp notify setup --destination-name ops-webhook --destination-type webhook \\",
      "  --url https://hooks.acme.com/amp --topic customer-lifecycle \\",
      "  --event installation.created --event installation.deleted \\",
      "  --event connection.error --yes",
    ]);
    expect(variables).toEqual([]);
  });

  it("says all for every known event type, whose list would not fit a screen, and for no fewer", () => {
    const withEvents = (events: readonly string[]) => ({ ...EXISTING, events });
    expect(lineOf(withEvents(EVENT_TYPES.toReversed())).line).toBe(
      "amp notify setup --destination-id d_1 --topic-id t_1 --event all --yes",
    );
    for (const events of [EVENT_TYPES.slice(1), [...EVENT_TYPES.slice(1), "my.event"]]) {
      const { line } = lineOf(withEvents(events));
      expect(line.match(/--event /gu)).toHaveLength(events.length);
    }
  });

  it("refers to existing resources by ID", () => {
    expect(lineOf(EXISTING).line).toBe(
      "amp notify setup --destination-id d_1 --topic-id t_1 --event a --yes",
    );
  });

  it("keeps references and turns a typed secret into a variable", () => {
    const { line, variables } = lineOf(
      answersWith(
        newOf({
          type: "kinesis",
          secrets: {
            awsKeyId: new Secret("AKIA", { from: "env", name: "KEY_ID" }),
            awsSecretKey: new Secret("hush-hush"),
            awsSessionToken: new Secret("session-token-of-the-test", {
              from: "file",
              path: "my token",
            }),
          },
        }),
      ),
    );
    expect(line).toContain("--secret awsKeyId=env:KEY_ID");
    expect(line).toContain("--secret awsSecretKey=env:OPS_AWS_SECRET_KEY");
    expect(line).toContain("--secret 'awsSessionToken=@my token'");
    expect(line).not.toContain("hush");
    expect(variables).toEqual(["OPS_AWS_SECRET_KEY"]);
  });

  it.each([
    ["slack", { url: "https://hooks.slack.com/services/T/B/hush" }, "OPS_URL"],
    ["webhook", { headers: { Authorization: "Bearer hush" } }, "OPS_HEADERS_AUTHORIZATION"],
    ["rabbitmq", { serverUrl: "amqps://amp:hush@mq.example.com" }, "OPS_SERVER_URL"],
  ])("does not show what opens something in the metadata of %s", (type, metadata, variable) => {
    const { line, variables } = lineOf(answersWith(newOf({ type, metadata })));
    expect(line).not.toContain("hush");
    expect(variables).toEqual([variable]);
    expect(line).toContain(`env:${variable}`);
    expect(line).not.toContain("$");
  });

  it("has no command for metadata that only a routing file can say", () => {
    for (const metadata of [{ retries: 3 }, { headers: { "a.b": "hush" } }, { to: [] }]) {
      expect(setupCommand(answersWith(newOf({ metadata })))).toBe(undefined);
    }
  });

  it("has of answers that were left only what was answered", () => {
    expect(lineOf({}).line).toBe("amp notify setup --yes");
    const { line } = lineOf({ destination: { kind: "new", metadata: { url: "https://a.test/" } } });
    expect(line).toBe("amp notify setup --url https://a.test/ --yes");
  });

  it("uses a separate variable for each secret", () => {
    const metadata = { headers: { "a-b": "1", a_b: "2" } };
    expect(lineOf(answersWith(newOf({ metadata }))).variables).toEqual([
      "OPS_HEADERS_A_B",
      "OPS_HEADERS_A_B_2",
    ]);
  });

  it("leads back to the same destination, through a real shell", async () => {
    const key = words.filter((word) => word === word.trim() && !/[.=]/u.test(word) && word !== "");
    const nested = fc.dictionary(key, words, { minKeys: 1 });
    const metadata = fc.dictionary(key, fc.oneof(words, nested), { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(metadata, words, async (tree, name) => {
        // Not sensitive, so that the line itself says everything.
        const { headers: _, ...open } = tree;
        const part = newOf({ type: "webhook", metadata: open });
        const { line, variables } = lineOf(answersWith(part, name));
        fc.pre(variables.length === 0);
        const options = optionsOf(shellWords(foldCommand(line, 78).join("\n")));
        expect(options.name).toBe(name);
        const read = await readDestinationContent("webhook", options, unread);
        expect(read.metadata).toEqual(open);
      }),
      { numRuns: 60 },
    );
  });
});

describe("quote", () => {
  it("gives a shell back the same words, folded or not", () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (list) => {
        const line = shellLine(list);
        expect(shellWords(line)).toEqual(list);
        expect(shellWords(foldCommand(line, 30).join("\n"))).toEqual(list);
      }),
      { numRuns: 60 },
    );
  });

  it("does not quote plain words", () => {
    expect(quote("https://hooks.acme.com/amp")).toBe("https://hooks.acme.com/amp");
    expect(quote("=x")).toBe("'=x'");
    expect(quote("~")).toBe("'~'");
    expect(quote("")).toBe("''");
    expect(shellWords(shellLine(["a", { text: "b=", variable: "V" }]), { V: "c d" })).toEqual([
      "a",
      "b=c d",
    ]);
  });
});

const unread = {
  read: async () => {
    throw new Error("nothing is to be read");
  },
  variable: () => undefined,
};

/** The options in a list of words, as the parser would have them. */
function optionsOf(list: readonly string[]): DestinationOptions & { name: string | undefined } {
  const given: (readonly [flag: string, value: string])[] = [];
  // After `amp notify setup`; a value that begins with a dash is in the same word as its option.
  const left = list.slice(3);
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [, flag = "", joined] = /^(--[a-z-]+)(?:=(.*))?$/su.exec(word) ?? [];
    given.push([flag, joined ?? left.shift() ?? ""]);
  }
  const all = (flag: string) => given.flatMap(([name, value]) => (name === flag ? [value] : []));
  return {
    name: all("--destination-name")[0],
    url: all("--url")[0],
    metadata: all("--metadata").map((text): [string, string] => {
      const at = text.indexOf("=");
      return [text.slice(0, at), text.slice(at + 1)];
    }),
    secret: all("--secret").map(readSecretArgument),
  };
}
