import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWaitLine } from "../../src/cli/wait-line.ts";
import type { OutputSettings } from "../../src/context/output-settings.ts";
import type { Io } from "../../src/io.ts";
import { ProtectedWork } from "../../src/runtime/end-process.ts";
import { type RunInput, run } from "../harness.ts";

/** A service whose long list arrives in parts, a second in all. */
const growing = async () => {
  const record = (at: number) =>
    JSON.stringify({ id: `app-${at}`, provider: "p", note: "x".repeat(2_000) });
  const encoder = new TextEncoder();
  let part = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (part > 0) await new Promise((resolve) => setTimeout(resolve, 200));
      const from = part * 150;
      const records = Array.from({ length: 150 }, (_, at) => record(from + at)).join(",");
      controller.enqueue(encoder.encode(`${part === 0 ? "[" : ","}${records}`));
      part += 1;
      if (part < 6) return;
      controller.enqueue(encoder.encode("]"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
};

/** A service that answers after a time, longer than what a wait is silent for. */
const slow = (ms: number) => async () => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return Response.json([]);
};
const LIST = ["apps", "list"];
const UUID = "113e9685-9a51-42cc-8662-9d9725b17f14";
const ERASED = "\r\u001b[2K";

const stderrOf = async (world: RunInput, ...more: string[]) =>
  (await run([...LIST, ...more], world)).stderr;

describe("a wait", () => {
  it("is shown on a terminal, and goes without a trace", async () => {
    const stderr = await stderrOf({ tty: true, fetch: slow(450), columns: 60 });
    expect(stderr).toContain("Waiting for api.example.test to list the provider apps");
    const lines = stderr.split(ERASED).filter((line) => line.includes("Waiting"));
    for (const line of lines) expect(line.length).toBeLessThan(60);
    // What follows the last erasing is the list's own closing line.
    expect(stderr.split(ERASED).at(-1)).not.toContain("Waiting");
  });

  it.each(["--output=count", "--sort-by=ID", "--filter=ID=nosuch"])(
    "says how much of a long list has come, with %s",
    async (option) => {
      const list = ["installations", "list", UUID, option];
      const { stderr } = await run(list, { tty: true, fetch: growing });
      expect(stderr).toMatch(/Receiving from api\.example\.test: \d+ so far/u);
      expect(stderr.split(ERASED).at(-1)).not.toContain("Waiting");
    },
  );

  it("leaves no trace where one of two requests fails and the other still waits", async () => {
    const fetch = async ({ url }: Request) => {
      const isList = url.includes("/installations");
      await new Promise((resolve) => setTimeout(resolve, isList ? 300 : 900));
      return isList ? Response.json({}, { status: 403 }) : Response.json([]);
    };
    const { stderr } = await run(["installations", "list", "--all-integrations"], {
      tty: true,
      fetch,
    });
    expect(stderr).toContain("Waiting");
    expect(stderr.split(ERASED).at(-1)).toMatch(/^[^W]*403/u);
  });

  it.each<[string, RunInput, readonly string[]]>([
    ["a pipe", {}, []],
    ["CI", { tty: true, env: { CI: "true" } }, []],
    ["a dumb terminal", { tty: true, env: { TERM: "dumb" } }, []],
    ["--json", { tty: true }, ["--json"]],
    ["--quiet", { tty: true }, ["--quiet"]],
    ["a quick answer", { tty: true, fetch: slow(0) }, []],
  ])("is not shown with %s", async (_name, world, more) => {
    expect(await stderrOf({ fetch: slow(300), ...world }, ...more)).not.toContain("Waiting");
  });
});

describe("the line of a wait", () => {
  function lineAt(columns = 80, redraws = true) {
    const written: string[] = [];
    const stop = new AbortController();
    const sink = {
      write: async (text: string | Uint8Array) => void written.push(String(text)),
      ...{ isTty: true, columns, closed: false, stream: process.stderr },
    };
    const protectedWork = new ProtectedWork();
    const io = {
      env: {},
      out: sink,
      err: sink,
      signal: stop.signal,
      protectedWork,
    } as unknown as Io;
    const output = {
      quiet: false,
      debug: false,
      messages: () => "text" as const,
      redraws: () => redraws,
    };
    const settings = output as OutputSettings;
    return { written, stop, line: createWaitLine(io, () => settings) };
  }

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("begins in time though its text changes all the while", () => {
    const { written, line } = lineAt();
    let end = line.begin("read 0");
    for (let count = 1; count <= 100; count += 1) {
      vi.advanceTimersByTime(10);
      const next = line.begin(`read ${count}`);
      end();
      end = next;
    }
    expect(written.filter((text) => text.includes("read "))).toHaveLength(9);
    expect(written[0]).toContain("read 19");
    end();
    expect(written.at(-1)).toBe(ERASED);
  });

  it("is a line of its own each 30 s where nothing is redrawn", () => {
    const { written, stop, line } = lineAt(80, false);
    const end = line.begin("Waiting for a.b to list x · y");
    vi.advanceTimersByTime(29_000);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(61_000);
    expect(written).toEqual(Array(3).fill("Waiting for a.b to list x, y\n"));
    stop.abort("SIGTERM");
    line.begin("Waiting for a.b to list z");
    vi.advanceTimersByTime(90_000);
    expect(written.slice(3)).toEqual(["Finishing the request in flight\n"]);
    end();
  });

  it("says how far the work is while its requests are waited for", () => {
    const { written, line } = lineAt();
    const request = line.begin("Waiting for a.b to list x");
    const work = line.begin("Looking up: 3 of 9", true);
    line.begin("Waiting for a.b to list y");
    vi.advanceTimersByTime(250);
    expect(written.at(-1)).toContain("Looking up: 3 of 9");
    work();
    request();
    vi.advanceTimersByTime(100);
    expect(written.at(-1)).toContain("to list y");
  });

  it("is gone once all ended, though one was waited for alone", () => {
    const { written, line } = lineAt();
    line.begin("Waiting for a.b to list x");
    line.begin("Waiting for a.b to list y");
    vi.advanceTimersByTime(200);
    line.end();
    vi.advanceTimersByTime(1000);
    expect(written).toEqual([`${ERASED}⠋ Waiting for a.b to list y`, ERASED]);
  });

  it("appears after 200 ms, turns, and is erased at the end", () => {
    const { written, line } = lineAt();
    const end = line.begin("Waiting for a.b");
    vi.advanceTimersByTime(199);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(101);
    expect(written).toEqual([`${ERASED}⠋ Waiting for a.b`, `${ERASED}⠙ Waiting for a.b`]);
    end();
    vi.advanceTimersByTime(1000);
    expect(written.slice(2)).toEqual([ERASED]);
  });

  it("gives way to whatever is written, and comes back", async () => {
    const { written, line } = lineAt();
    line.begin("Waiting for a.b");
    vi.advanceTimersByTime(200);
    await line.io.err.write("a notice\n");
    vi.advanceTimersByTime(200);
    expect(written).toEqual([
      `${ERASED}⠋ Waiting for a.b`,
      ERASED,
      "a notice\n",
      `${ERASED}⠙ Waiting for a.b`,
    ]);
  });

  it("answers Ctrl-C at once while a request is in flight", () => {
    const { written, stop, line } = lineAt();
    line.begin("Waiting for a.b");
    stop.abort("SIGINT");
    vi.advanceTimersByTime(1);
    // The terminal has echoed `^C`, and the line begins below it.
    expect(written).toEqual(["\n", `${ERASED}⠋ Finishing the request in flight`]);
  });
});
