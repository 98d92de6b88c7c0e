import { describe, expect, it } from "vitest";
import type { OutputFormat } from "../../src/settings.ts";
import { type Outcome, type RunInput, run } from "../harness.ts";

const INTEGRATION = "113e9685-9a51-42cc-8662-9d9725b17f14";
const COUNT = 1_500;

interface Row {
  readonly id: string;
}

/** More than 256 kB, in which a list is read as a whole. */
function installations(count = COUNT): Row[] {
  return Array.from({ length: count }, (_, nth) => ({
    id: `ins_${nth}`,
    projectId: "acme",
    integrationId: INTEGRATION,
    healthStatus: nth % 2 === 0 ? "healthy" : "unhealthy",
    connection: { provider: nth === 7 ? "hubspot" : "salesforce", secrets: { token: "s3cr3t" } },
    createTime: "2026-07-01T10:00:00Z",
    createdBy: 'consumer:"[é🙂]\u2028',
    config: { content: { provider: "salesforce" } },
    group: { groupName: nth === 1_400 ? "a name that is wider than all before it" : `g${nth}` },
    padding: "x".repeat(200),
  }));
}

/** The body in chunks that split records, strings and characters. */
function streamed(text: string, end?: (controller: ReadableStreamDefaultController) => void) {
  const bytes = new TextEncoder().encode(text);
  const size = 10_007;
  let at = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + size));
      else (end ?? ((one) => one.close()))(controller);
      at += size;
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return {
    fetch: async () => new Response(body, { headers: { "x-request-id": "req_1" } }),
    served: () => Math.min(at, bytes.length),
    wasCancelled: () => cancelled,
  };
}

function list(words: readonly string[], world: RunInput): Promise<Outcome> {
  return run(["installations", "list", INTEGRATION, ...words], world);
}

async function listed(words: readonly string[], world: RunInput = {}, rows = installations()) {
  return list(words, { ...streamed(JSON.stringify(rows)), ...world });
}

/** The same list by parts that are short enough to be read as a whole. */
async function inParts(words: readonly string[]): Promise<string> {
  const size = 300;
  let all = "";
  for (let from = 0; from < COUNT; from += size) {
    const body = installations().slice(from, from + size);
    all += (await list(words, { replies: [{ body }] })).stdout;
  }
  return all;
}

const redacted = () =>
  installations().map((row) => ({
    ...row,
    connection: {
      ...(row as never as { connection: object }).connection,
      secrets: { token: "[redacted]" },
    },
  }));

describe("a long list", () => {
  it("reads as JSON would of the whole, secrets redacted in every record", async () => {
    const { code, stdout, stderr } = await listed(["--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const whole = JSON.stringify(redacted(), undefined, 2).replaceAll("\u2028", "\\u2028");
    expect(stdout).toBe(`${whole}\n`);
  });

  it.each(["ndjson", "tsv", "id", "yaml"] satisfies OutputFormat[])(
    "has the lines of its parts in %s",
    async (format) => {
      const { code, stdout } = await listed(["-o", format]);
      expect(code).toBe(0);
      expect(stdout).toBe(await inParts(["-o", format]));
      expect(stdout).not.toContain("s3cr3t");
    },
    60_000,
  );

  it("has one header in CSV", async () => {
    const { stdout } = await listed(["-o", "csv"]);
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toBe(
      "Group,Health,Provider,Last op,Connection,Updated,ID,Integration,integrationId",
    );
    expect(rows).toHaveLength(COUNT);
    expect(rows.filter((row) => row === header)).toEqual([]);
  });

  it("keeps the columns of its beginning: on a terminal a longer name has its own line", async () => {
    const { stdout, stderr } = await listed(["--output", "table"], {
      tty: true,
      columns: 100,
      env: { NO_COLOR: "1" },
    });
    const rows = stdout.split("\n");
    expect(rows[0]).toMatch(/^GROUP {2}HEALTH {2,}PROVIDER/u);
    expect(rows[1_401]).toBe("a name that is wider than all before it");
    expect(rows[1_402]).toMatch(/^ +healthy .* ins_1400$/u);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(100);
    expect(stderr).toMatch(
      /^Showing .*\n{3}1,500 installations · 750 unhealthy {2}.*amp installations get <id>\n$/u,
    );
  });

  it("keeps the columns of its beginning: in a pipe nothing is cut", async () => {
    const { stdout } = await listed(["--output", "table"]);
    expect(stdout.split("\n")[1_401]).toMatch(
      /^a name that is wider than all before it {2}(?:un)?healthy +salesforce/u,
    );
  });

  it("takes --fields, and warns of one that none has, once all were seen", async () => {
    const { stdout, stderr } = await listed(["-o", "csv", "--fields", 'id,"padding","colour"']);
    expect(stdout.split("\n")[COUNT]).toMatch(/^ins_1499,x+,$/u);
    expect(stderr).toContain('no item has a field "colour". Available: id, projectId');
    expect(stderr).not.toContain('"padding"');
  });

  it("is counted by -o count", async () => {
    const { code, stdout, stderr } = await listed(["-o", "count"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "1500\n", stderr: "" });
  });
});

describe("a long list with odd records", () => {
  it("is whole, and says what was odd once it has ended", async () => {
    const rows = installations().map((row, nth) =>
      nth === 1_401 ? { ...row, updateTime: 5 } : nth === 1_402 ? null : row,
    );
    const { code, stderr, json } = await listed(["--json"], {}, rows as Row[]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((json() as unknown[]).slice(1_400, 1_404)).toMatchObject([
      { id: "ins_1400" },
      { id: "ins_1401", updateTime: 5 },
      null,
      { id: "ins_1403" },
    ]);
    expect((await listed(["-o", "yaml"], {}, rows as Row[])).stderr).toBe(
      "2 fields are not as specified: ins_1401 updateTime: expected string, received number; record 1403: expected object, received null\n",
    );
  });

  it("has IDs that are numbers", async () => {
    const rows = installations().map((row, nth) => ({ ...row, id: nth }));
    const { code, stdout, stderr } = await listed(["-o", "id"], {}, rows as never as Row[]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toHaveLength(COUNT);
  });
});

describe("a list of any length", () => {
  it.each([0, 1, 3])("is counted: %d", async (count) => {
    const { stdout } = await list(["-o", "count"], {
      replies: [{ body: installations(count) }],
    });
    expect(stdout).toBe(`${count}\n`);
  });

  it("is CSV whose cells are as they are with -o csv-raw", async () => {
    const listed = async (format: string) => {
      const words = ["notify", "topics", "list", "--fields", "id", "-o", format];
      return (await run(words, { replies: [{ body: [{ id: "=1" }] }] })).stdout;
    };
    expect(await listed("csv-raw")).toBe("id\n=1\n");
    expect(await listed("csv")).toBe("id\n'=1\n");
  });

  it("-o count is refused for a single item", async () => {
    const { code, stderr, requests } = await run(["providers", "get", "hubspot", "-o", "count"]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("amp providers get does not support --output count");
  });
});

describe("a long list that fails in the middle", () => {
  const text = JSON.stringify(installations());
  const broken = text.indexOf('{"id":"ins_1401"');

  it("has written what came before where a record is no JSON, and says where", async () => {
    const { code, stdout, error } = await list(
      ["-o", "ndjson"],
      streamed(`${text.slice(0, broken)}{"id":oops}${text.slice(broken + 1)}`),
    );
    expect(code).toBe(7);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual(installations(1_401).map(({ id }) => id));
    const offset = new TextEncoder().encode(text.slice(0, broken)).length;
    expect(error()).toMatchObject({
      code: "service",
      message: `Could not list the installations of the integration: the response is not valid JSON (record 1402, byte ${offset})`,
      done: "Already written: 1,401 installations.",
      requestId: "req_1",
    });
  });

  it.each(["json", "csv", "tsv", "id", "table", "yaml", "ndjson"] satisfies OutputFormat[])(
    "has written what came before where the answer breaks off: %s",
    async (format) => {
      const { code, stdout, stderr } = await list(
        ["-o", format],
        streamed(text.slice(0, broken + 40)),
      );
      expect(code).toBe(7);
      expect(stdout).toContain("ins_1400");
      expect(stdout).not.toContain("ins_1401");
      expect(stderr).toMatch(/the response is truncated\s+\(record 1402, byte /u);
    },
  );

  it("has written what came before where the connection is lost", async () => {
    const lost = streamed(text.slice(0, broken + 40), (controller) =>
      controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
    );
    const { code, stdout, stderr, requests } = await list(["-o", "id"], lost);
    expect(code).toBe(7);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1_401);
    expect(stderr).toContain("Could not list the installations of the integration: ");
    expect(requests).toHaveLength(1);
  });

  it("prints no count", async () => {
    const { code, stdout } = await list(["-o", "count"], streamed(text.slice(0, broken)));
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
  });

  it("ends quietly where the reader has gone, and breaks the download off", async () => {
    const source = streamed(JSON.stringify(installations(20_000)));
    const { code, stderr } = await list(["-o", "id"], { ...source, closesAfter: 1 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(source.wasCancelled()).toBe(true);
    expect(source.served()).toBeLessThan(600_000);
  });

  it("ends where it was interrupted", async () => {
    const controller = new AbortController();
    const source = streamed(JSON.stringify(installations(20_000)));
    const { code, stdout } = await list(["-o", "id"], {
      ...source,
      signal: controller.signal,
      onOutput: () => controller.abort("SIGINT"),
    });
    expect(code).toBe(130);
    expect(stdout).toContain("ins_0\n");
    expect(source.wasCancelled()).toBe(true);
  });

  it("does not wait longer than --timeout for what comes next", async () => {
    const stalled = streamed(text.slice(0, broken), () => new Promise(() => {}));
    const fetch = async () => {
      const { body } = await stalled.fetch();
      // Nothing follows, and the stream does not end.
      const reader = body?.getReader();
      return new Response(
        new ReadableStream<Uint8Array>({
          async pull(controller) {
            const next = await reader?.read();
            if (next?.value && stalled.served() < broken) controller.enqueue(next.value);
            else await new Promise(() => {});
          },
        }),
      );
    };
    const { code, stdout, stderr } = await list(["-o", "id", "--timeout", "300ms"], { fetch });
    expect(code).toBe(124);
    expect(stdout).toContain("ins_0\n");
    expect(stderr).toContain("api.example.test sent nothing more within 0.3 s");
  });

  it("is not shown at all where it is not a list", async () => {
    const page = `<html><title>Sign in</title>${"x".repeat(400_000)}</html>`;
    const { code, stdout, stderr } = await list(["--json"], {
      fetch: async () => new Response(page, { headers: { "content-type": "text/html" } }),
    });
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain("web page");
  });
});
