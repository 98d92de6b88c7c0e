import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  type DestinationOptions,
  readDestinationContent,
  readSecretArgument,
  type ValueSources,
} from "../../../src/notify/model/destination-input.ts";
import { Secret } from "../../../src/secrets/secret.ts";

const FILES: Readonly<Record<string, string>> = {
  "key.txt": "from a file\n",
  "empty.txt": "\n",
  "-": "from stdin\r\n",
};

const sources: ValueSources = {
  read: async (path) => FILES[path] ?? Promise.reject(new Error(`no ${path}`)),
  variable: (name) => ({ KEY: "from the environment", EMPTY: "" })[name],
};

function read(more: Partial<DestinationOptions>, type = "webhook") {
  return readDestinationContent(type, { metadata: [], secret: [], ...more }, sources);
}

it("refuses file: in metadata, which would be sent as text", async () => {
  await expect(read({ metadata: [["headers.X-Tok", "file:tok"]] })).rejects.toThrow(
    "metadata headers.X-Tok: file: is not read in metadata",
  );
});

describe("metadata", () => {
  it("nests at dots", async () => {
    const { metadata } = await read({
      url: "https://a",
      metadata: [
        ["headers.X-Team", "ops"],
        ["region", "us-east-1"],
      ],
    });
    expect(metadata).toEqual({
      url: "https://a",
      region: "us-east-1",
      headers: { "X-Team": "ops" },
    });
  });

  it("accepts the same value twice", async () => {
    const { metadata } = await read({ url: "a", metadata: [["url", "a"]] });
    expect(metadata).toEqual({ url: "a" });
  });

  it.each([
    [{ url: "a", metadata: [["url", "b"]] as const }, "--url and --metadata url conflict"],
    [
      {
        metadata: [
          ["a", "1"],
          ["a", "2"],
        ] as const,
      },
      "--metadata a and --metadata a conflict",
    ],
    [
      {
        metadata: [
          ["a", "1"],
          ["a.b", "1"],
        ] as const,
      },
      "--metadata a and --metadata a.b conflict",
    ],
    [{ metadata: [["a..b", "1"]] as const }, "has an empty part"],
  ])("refuses %j", async (options, message) => {
    await expect(read(options)).rejects.toThrow(message);
  });

  it("reads a flag as the type defines it", async () => {
    const tls = (value: string, type?: string) => read({ metadata: [["tls", value]] }, type);
    expect((await tls("true", "rabbitmq")).metadata).toEqual({ tls: true });
    expect((await tls("true", "webhook")).metadata).toEqual({ tls: "true" });
    await expect(tls("yes", "rabbitmq")).rejects.toThrow("--metadata tls must be true or false");
  });

  it("takes __proto__ as data", async () => {
    const { metadata } = await read({ metadata: [["__proto__.polluted", "1"]] });
    expect(JSON.stringify(metadata)).toBe('{"__proto__":{"polluted":"1"}}');
    expect(({} as { polluted?: string }).polluted).toBe(undefined);
  });
});

describe("secrets", () => {
  const secret = (...args: string[]) => read({ secret: args.map(readSecretArgument) });

  it("come from files, variables and standard input", async () => {
    const { secrets } = await secret("a=@key.txt", "b=env:KEY", "c=-");
    expect(secrets.a?.reveal()).toBe("from a file");
    expect(secrets.a?.reference).toEqual({ from: "file", path: "key.txt" });
    expect(secrets.b?.reveal()).toBe("from the environment");
    expect(secrets.b?.reference).toEqual({ from: "env", name: "KEY" });
    expect(secrets.c?.reveal()).toBe("from stdin");
    expect(secrets.c?.reference).toBe(undefined);
  });

  it.each([
    [["a=env:NONE"], "the variable NONE is not set"],
    [["a=env:EMPTY"], "the variable EMPTY is not set"],
    [["a=@empty.txt"], "--secret a is empty"],
    [["a=-", "b=-"], "one secret only"],
    [["a=env:KEY", "a=@key.txt"], "--secret a was passed twice"],
  ])("%j is refused", async (args, message) => {
    await expect(secret(...args)).rejects.toThrow(message);
  });

  it.each([
    "password=hunter2",
    "hunter2",
    "=hunter2",
    "password=env:hunter-2",
    "password=@",
    "hunter2==",
  ])("as an argument's value are refused and not repeated: %s", (typed) => {
    let message = "";
    try {
      readSecretArgument(typed);
    } catch (error) {
      message = inspect(error, { showHidden: true }).split("\n    at ")[0] ?? "";
    }
    expect(message).toContain("UsageError");
    expect(message).not.toContain("hunter");
  });

  it("are hidden in every printed form", () => {
    const held = new Secret("hunter2");
    expect(`${held} ${JSON.stringify({ held })} ${inspect({ held })}`).not.toContain("hunter2");
  });
});
