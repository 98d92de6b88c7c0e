import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** The packages that importing a module of src/api loads. */
async function packagesOf(module: string): Promise<string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        const name = /node_modules\\/([^/]+)/.exec(found.url)?.[1];
        if (name) seen.add(name);
        return found;
      },
    });
    await import(${JSON.stringify(new URL(`../../src/api/${module}`, import.meta.url).href)});
    process.stdout.write(JSON.stringify([...seen]));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ]);
  return JSON.parse(stdout);
}

test.each([
  "operations/endpoints.ts",
  "catalogue/events.ts",
  "catalogue/destination-types.ts",
  "request/url.ts",
  "answer/problem.ts",
  "answer/check.ts",
  "network/network.ts",
])("%s loads no package", async (module) => {
  expect(await packagesOf(module)).toEqual([]);
});

test("undici is loaded for proxies, and for certificates that are not checked", async () => {
  expect(await packagesOf("network/undici-fetch.ts")).toEqual(["undici"]);
});

test("the client loads ky, and zod only once a call needs it", async () => {
  expect(await packagesOf("client/client.ts")).toEqual(["ky"]);
  // Shows that the test above could fail.
  expect(await packagesOf("schemas/provider.ts")).toEqual(["zod"]);
});
