import { describe, expect, it } from "vitest";
import { configFolder, parseJsonText } from "../../src/account/files.ts";
import { userStateFolder } from "../../src/account/folders.ts";
import { UsageError } from "../../src/errors.ts";

type Env = Record<string, string>;
const posix = (env: Env) => ({ env, homeDir: "/home/ada", platform: "linux" }) as const;
const windows = (env: Env) => ({ env, homeDir: "C:\\Users\\Ada", platform: "win32" }) as const;

describe("the config folder", () => {
  it.each<[string, Env, string]>([
    ["~/.config/amp-admin by default", {}, "/home/ada/.config/amp-admin"],
    ["in XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "/x" }, "/x/amp-admin"],
    ["AMP_CONFIG_DIR itself", { AMP_CONFIG_DIR: "/a", XDG_CONFIG_HOME: "/x" }, "/a"],
    ["not in a relative XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "x" }, "/home/ada/.config/amp-admin"],
    ["not in an empty XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "" }, "/home/ada/.config/amp-admin"],
    ["not in APPDATA outside Windows", { APPDATA: "/d" }, "/home/ada/.config/amp-admin"],
  ])("is %s", (_, env, folder) => expect(configFolder(posix(env))).toBe(folder));

  it.each<[string, Env, string]>([
    ["in APPDATA on Windows", { APPDATA: "C:\\Data" }, "C:\\Data\\amp-admin"],
    [
      "in XDG_CONFIG_HOME before",
      { APPDATA: "C:\\D", XDG_CONFIG_HOME: "D:\\x" },
      "D:\\x\\amp-admin",
    ],
    ["below the home folder else", {}, "C:\\Users\\Ada\\.config\\amp-admin"],
  ])("is %s", (_, env, folder) => expect(configFolder(windows(env))).toBe(folder));

  it("is refused where AMP_CONFIG_DIR is empty", () => {
    expect(() => configFolder(posix({ AMP_CONFIG_DIR: "" }))).toThrow(UsageError);
  });
});

it("the state folder is apart from the config folder", () => {
  expect(userStateFolder(posix({}))).toBe("/home/ada/.local/state/amp-admin");
  expect(userStateFolder(posix({ XDG_STATE_HOME: "/s" }))).toBe("/s/amp-admin");
});

describe("parseJsonText", () => {
  it("reads JSON, after a byte order mark too", () => {
    expect(parseJsonText('\uFEFF{"a": [1, "b"]}', "/f")).toEqual({ a: [1, "b"] });
  });

  it.each([
    ["", ""],
    ["{", " at line 1, column 2"],
    ['{\n  "a": hello\n}', ""],
    ['{\n  "a": "b",\n}', " at line 3, column 1"],
  ])("names the place of the fault in %j where JSON.parse does", (text, place) => {
    expect(() => parseJsonText(text, "/home/ada/config.json")).toThrow(
      new UsageError(`/home/ada/config.json is not valid JSON${place}`),
    );
  });

  it("never shows the text around the error", () => {
    try {
      parseJsonText('{"secret": hidden, "origin": 1}', "/f");
    } catch (error) {
      expect(JSON.stringify([error, (error as UsageError).facts, String(error)])).not.toContain(
        "hidden",
      );
      expect((error as UsageError).cause).toBeUndefined();
    }
    expect.assertions(2);
  });
});
