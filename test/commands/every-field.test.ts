import { describe, expect, it } from "vitest";
import type { ZodMiniType } from "zod/mini";
import { installation } from "../../src/api/schemas/installation.ts";
import { integration, project, providerApp } from "../../src/api/schemas/project.ts";
import { provider } from "../../src/api/schemas/provider.ts";
import { run } from "../harness.ts";

/** The fields of a zod definition that are used here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, ZodMiniType>>;
  readonly innerType?: ZodMiniType;
  readonly element?: ZodMiniType;
  readonly valueType?: ZodMiniType;
}

type Path = readonly (string | number)[];

/** A record with every field of a schema, no two leaves alike, and the path of each leaf. */
function fullRecord(schema: ZodMiniType): { record: object; leaves: Path[] } {
  const leaves: Path[] = [];
  const fieldValue = (one: ZodMiniType, path: Path): unknown => {
    const { type, shape = {}, innerType, element, valueType } = one._zod.def as Definition;
    if (innerType) return fieldValue(innerType, path);
    if (element) return [0, 1].map((at) => fieldValue(element, [...path, at]));
    if (type === "object" || valueType) {
      const fields = valueType
        ? Object.fromEntries(["one", "two"].map((name) => [`${path.at(-1)}_${name}`, valueType]))
        : shape;
      return Object.fromEntries(
        Object.entries(fields).map(([name, of]) => [name, fieldValue(of, [...path, name])]),
      );
    }
    leaves.push(path);
    if (type === "boolean") return true;
    return type === "number" ? 7_000 + leaves.length : `value${leaves.length}.`;
  };
  return { record: fieldValue(schema, []) as object, leaves };
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as never as Record<
    string | number,
    unknown
  >;
  copy[key] = replaced(copy[key], rest, by);
  // In JSON a field of undefined is none.
  return copy;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((found, key) => (found as Record<string | number, unknown>)[key], value);
}

const CRM = "113e9685-9a51-42cc-8662-9d9725b17f14";

const PAGES = {
  "apps get": { schema: providerApp, words: (id: string) => ["apps", "get", id], isListed: true },
  "projects get": {
    schema: project,
    words: (id: string) => ["projects", "get", id],
    isListed: true,
  },
  "integrations get": {
    schema: integration,
    words: (id: string) => ["integrations", "get", id],
    isListed: true,
  },
  "providers get": {
    schema: provider,
    words: () => ["providers", "get", "any"],
    isListed: false,
  },
  "installations get": {
    schema: installation,
    words: (id: string) => ["installations", "get", id, "--integration", CRM],
    isListed: true,
  },
};

describe.each(Object.entries(PAGES))("the page of amp %s", (_, { schema, words, isListed }) => {
  const { record, leaves } = fullRecord(schema);

  async function pageOf(one: unknown): Promise<string> {
    const { id = "" } = one as { id?: string };
    const asked = words(id);
    const { code, stdout } = await run(asked, {
      // Other lists only add names to what is shown.
      fetch: async ({ url }) =>
        asked[0] === "installations" && url.endsWith("/integrations")
          ? Response.json({}, { status: 404 })
          : Response.json(isListed ? [one] : one),
      tty: { out: true, err: false },
      columns: 2_000,
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(0);
    return stdout;
  }

  it("shows every field that the specification has", async () => {
    const page = await pageOf(record);
    const hidden: string[] = [];
    for (const path of leaves) {
      const value = at(record, path);
      if (typeof value !== "boolean") {
        if (!page.includes(String(value))) hidden.push(path.join("."));
        continue;
      }
      // A flag that is true, false or missing is told in three ways.
      const pages = [page];
      for (const other of [false, undefined])
        pages.push(await pageOf(replaced(record, path, other)));
      if (new Set(pages).size < 3) hidden.push(`${path.join(".")} (flag)`);
    }
    expect(hidden).toEqual([]);
    expect(leaves.length).toBeGreaterThan(5);
  });
});
