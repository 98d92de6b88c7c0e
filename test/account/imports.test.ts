import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

/** Every module that importing one loads, by address. */
function loadedBy(module: string): string[] {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        loaded.push(found.url);
        return found;
      },
    });
    await import(${JSON.stringify(module)});
    console.log(JSON.stringify(loaded));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script]);
  return JSON.parse(output.toString("utf8"));
}

const source = (path: string) => new URL(`../../src/${path}`, import.meta.url).href;

it("resolving settings loads no large package", () => {
  for (const module of ["settings", "credential", "account", "files", "project-file"]) {
    const loaded = loadedBy(source(`account/${module}.ts`));
    expect(loaded).toContain(source("errors.ts"));
    const packages = loaded.filter((url) => url.includes("node_modules"));
    // Small enough to be there for the moment when a name is mistyped.
    expect(packages.filter((url) => !url.includes("/fastest-levenshtein/"))).toEqual([]);
    for (const dear of ["node:crypto", "node:util", "node:process", "node:http"]) {
      expect(loaded).not.toContain(dear);
    }
  }
});

it("notices an expensive import", () => {
  const loaded = loadedBy(source("account/store.ts"));
  expect(loaded).toContain("node:crypto");
});
