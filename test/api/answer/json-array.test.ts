import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonArrayError, recordsOf } from "../../../src/api/answer/json-array.ts";
import { parseJson } from "../../../src/values/json.ts";

const encoder = new TextEncoder();

/** What came, and what stopped it. */
async function read(chunks: readonly Uint8Array[], records = 200) {
  const batches: unknown[][] = [];
  const source = (async function* () {
    yield* chunks;
  })();
  try {
    for await (const batch of recordsOf(source, { records, bytes: 1_000 })) batches.push(batch);
    return { batches, all: batches.flat(), error: undefined };
  } catch (error) {
    if (!(error instanceof JsonArrayError)) throw error;
    return { batches, all: batches.flat(), error };
  }
}

/** The bytes in pieces that end at these places, empty ones too. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, at) => bytes.slice(ends[at - 1] ?? 0, end));
}

/** What JSON.parse says of the bytes, a mark at their beginning left out. */
function parsed(bytes: Uint8Array): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", " ", "é", "🙂", "\u2028"),
  }),
);
const value = fc.oneof(
  fc.jsonValue({ depthSize: "medium" }),
  nasty,
  fc.dictionary(nasty, fc.oneof(nasty, fc.array(nasty), fc.double({ noNaN: true }))),
);
const places = fc.array(fc.nat(5_000), { maxLength: 12 });
const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\r", "\t"), maxLength: 3 });

describe("the records of an array", () => {
  test("are those of JSON.parse, in any chunks, any batch, any layout", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 12 }),
        places,
        fc.integer({ min: 1, max: 5 }),
        fc.tuple(space, space, fc.boolean(), fc.nat(3)),
        async (items, where, records, [before, behind, mark, indent]) => {
          const text = before + JSON.stringify(items, undefined, indent) + behind;
          const bytes = encoder.encode((mark ? "\ufeff" : "") + text);
          const { all, batches, error } = await read(cut(bytes, where), records);
          expect(error).toBeUndefined();
          expect(all).toEqual(parseJson(text));
          for (const batch of batches) {
            expect(batch.length).toBeGreaterThan(0);
            expect(batch.length).toBeLessThanOrEqual(records);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("are refused where JSON.parse refuses the whole", async () => {
    const piece = fc.constantFrom(
      ...[
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        '"',
        "\\",
        " ",
        "1",
        "-",
        "true",
        '"a"',
        "\ufeff",
        "{}",
        "[]",
      ],
    );
    const bytes = fc
      .array(fc.oneof({ weight: 9, arbitrary: piece }, fc.constantFrom("\xef", "\xff")), {
        maxLength: 12,
      })
      .map((pieces) =>
        Buffer.concat(
          pieces.map((one) => Buffer.from(one, /^[\xef\xff]$/u.test(one) ? "latin1" : "utf8")),
        ),
      );
    let refused = 0;
    let taken = 0;
    const check = async (text: Uint8Array, where: readonly number[], records: number) => {
      const { all, error } = await read(cut(text, where), records);
      const expected = parsed(text);
      if (expected) expect(all).toEqual(expected);
      expect(error === undefined).toBe(expected !== undefined);
      if (expected) taken += 1;
      else refused += 1;
    };
    await fc.assert(
      fc.asyncProperty(
        bytes,
        places,
        fc.integer({ min: 1, max: 3 }),
        async (inner, where, size) => {
          await check(inner, where, size);
          await check(Buffer.concat([Buffer.from("["), inner, Buffer.from("]")]), where, size);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(Math.min(refused, taken)).toBeGreaterThan(50);
  });

  test("come whole up to where the text breaks off, at every byte", async () => {
    const items = [
      { id: 1, name: 'a"]},\\', list: [1, [2]] },
      { id: 2, name: "é🙂" },
      { id: 3, deep: { er: [{}] } },
    ];
    const bytes = encoder.encode(
      `\ufeff [${items.map((item) => JSON.stringify(item)).join(" , ")}]\n`,
    );
    const end = bytes.indexOf("]".charCodeAt(0), bytes.length - 3);
    for (let length = 0; length <= bytes.length; length += 1) {
      for (const size of [1, 2, 200]) {
        const { all, error } = await read([bytes.slice(0, length)], size);
        expect(all).toEqual(items.slice(0, all.length));
        expect(error === undefined).toBe(length > end);
        if (error) expect(error).toMatchObject({ record: all.length + 1, offset: length });
      }
    }
    // The last record is whole before its comma or bracket is there.
    expect((await read([bytes.slice(0, end)])).all).toEqual(items);
  });

  test("are named by number and place where one is not valid JSON", async () => {
    const { all, error } = await read([encoder.encode('[{"id":1}, {"id":2}, {"id":oops}, {}]')]);
    expect(all).toEqual([{ id: 1 }, { id: 2 }]);
    expect(error).toMatchObject({ record: 3, offset: 20 });
    expect(error?.message).toBe("is not valid JSON (record 3, byte 20)");
  });

  test("are named where one is more than amp reads, although it is valid JSON", async () => {
    const fields = Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join(",");
    const { all, error } = await read([encoder.encode(`[{"id":1},{${fields}},{}]`)], 1_000_000);
    expect(all).toEqual([{ id: 1 }]);
    expect(error?.message).toBe("has too many values, fields or levels (record 2, byte 10)");
  });

  test.each([
    ["nothing", "", "is empty (record 1, byte 0)"],
    ["white space", " \n", "is empty (record 1, byte 2)"],
    ["an object", ' {"error":[1]}', "is not a JSON array (record 1, byte 1)"],
    ["a page", "<html>[1]</html>", "is not a JSON array (record 1, byte 0)"],
    ["more behind the end", "[1,2] x", "continues after its end (record 3, byte 6)"],
    ["a comma too many", "[1,2,]", "is not valid JSON (record 3, byte 5)"],
    ["a brace at the end", "[1,2}", "is not valid JSON (record 2, byte 3)"],
  ])("are not in %s", async (_, text, message) => {
    for (const size of [1, 200]) {
      const { error } = await read([encoder.encode(text)], size);
      expect(error?.message).toBe(message);
    }
  });

  test("come whole up to where the bytes fail to come", async () => {
    const failing = (async function* () {
      yield encoder.encode('[{"id":1},{"id":2},{"id":');
      throw new TypeError("lost");
    })();
    const all: unknown[] = [];
    const reading = async () => {
      for await (const batch of recordsOf(failing)) all.push(...batch);
    };
    await expect(reading()).rejects.toThrow("lost");
    expect(all).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test("are refused beyond a size, after the ones before", async () => {
    const endless = (async function* () {
      yield encoder.encode('[1,2,{"id":"');
      for (let part = 0; part < 1_000; part += 1) yield encoder.encode("x".repeat(100));
    })();
    const all: unknown[] = [];
    const reading = async () => {
      for await (const batch of recordsOf(endless, { maxRecord: 1_024 })) all.push(...batch);
    };
    await expect(reading()).rejects.toThrow("has a record larger than 1 KB (record 3, byte 4)");
    expect(all).toEqual([1, 2]);
  });

  test("do not wait for the end of the text", async () => {
    let served = 0;
    const endless = (async function* () {
      yield encoder.encode("[0");
      for (;;) {
        served += 1;
        yield encoder.encode(`,${served}`);
      }
    })();
    for await (const batch of recordsOf(endless, { records: 3, bytes: 1_000 })) {
      expect(batch).toEqual([0, 1, 2]);
      break;
    }
    expect(served).toBe(3);
  });
});

test("bytes that are not UTF-8 end the list before their record, and never become another ID", async () => {
  const bytes = Buffer.from('[{"id":"a"},{"id":"b"},{"id":"c\xff"}]', "latin1");
  for (const records of [1, 200]) {
    const { all, error } = await read([bytes], records);
    expect(all).toEqual([{ id: "a" }, { id: "b" }]);
    expect(error?.message).toBe("is not valid UTF-8 (record 3, byte 23)");
  }
});
