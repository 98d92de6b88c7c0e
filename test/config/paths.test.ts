import { describe, expect, it } from "vitest";
import { cacheFolder, configFolder, stateFolder } from "../../src/config/paths.ts";
import { UsageError } from "../../src/errors.ts";

type Env = Record<string, string>;
const posix = (env: Env) => ({ env, homeDir: "/home/ada", platform: "linux" }) as const;
const windows = (env: Env) => ({ env, homeDir: "C:\\Users\\Ada", platform: "win32" }) as const;

describe("the config folder", () => {
  it.each<[string, Env, string]>([
    ["~/.config/amp by default", {}, "/home/ada/.config/amp"],
    ["in XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "/x" }, "/x/amp"],
    ["AMP_CONFIG_DIR itself", { AMP_CONFIG_DIR: "/a", XDG_CONFIG_HOME: "/x" }, "/a"],
    ["not in a relative XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "x" }, "/home/ada/.config/amp"],
    ["not in an empty XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "" }, "/home/ada/.config/amp"],
    ["not in APPDATA outside Windows", { APPDATA: "/d" }, "/home/ada/.config/amp"],
  ])("is %s", (_, env, folder) => expect(configFolder(posix(env))).toBe(folder));

  it.each<[string, Env, string]>([
    ["in APPDATA on Windows", { APPDATA: "C:\\Data" }, "C:\\Data\\amp"],
    ["in XDG_CONFIG_HOME before", { APPDATA: "C:\\D", XDG_CONFIG_HOME: "D:\\x" }, "D:\\x\\amp"],
    ["below the home folder else", {}, "C:\\Users\\Ada\\.config\\amp"],
  ])("is %s", (_, env, folder) => expect(configFolder(windows(env))).toBe(folder));

  it("is refused where AMP_CONFIG_DIR is empty", () => {
    expect(() => configFolder(posix({ AMP_CONFIG_DIR: "" }))).toThrow(UsageError);
  });
});

it("keeps state and cache apart from it", () => {
  expect(stateFolder(posix({}))).toBe("/home/ada/.local/state/amp");
  expect(stateFolder(posix({ XDG_STATE_HOME: "/s" }))).toBe("/s/amp");
  expect(cacheFolder(posix({}))).toBe("/home/ada/.cache/amp");
  expect(cacheFolder(posix({ XDG_CACHE_HOME: "/c" }))).toBe("/c/amp");
});
