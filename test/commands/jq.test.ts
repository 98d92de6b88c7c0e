import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { BARE, CRM, list } from "./installations-at.ts";
import { INVOCATIONS } from "./invocations.ts";
import { leaves, runGood } from "./leaves.ts";
import { placeWith } from "./notify/notify-fixture.ts";

const amp = (...argv: string[]) => run(argv, { sandbox: sandboxAt() });

describe("--jq", () => {
  it("prints what a program makes of what --json prints", async () => {
    const ids = (await list([CRM, "-o", "id"])).stdout;
    expect((await list([CRM, "--jq", ".[].id"])).stdout).toBe(ids);
    expect((await list([CRM, "--jq", "map(.id)[]"])).stdout).toBe(ids);
    expect((await list([CRM, "--jq", ".[].id", "-o", "ndjson"])).stdout).toBe(ids);
    const json = (await list([CRM, "--json"])).json();
    expect((await list([CRM, "--jq", "."])).json()).toEqual(json);
  });

  it("follows --filter, --limit and --fields", async () => {
    const query = ["--filter", "health=unhealthy", "--limit", "2", "--fields", "Health,id"];
    expect((await list([CRM, ...query, "--jq", '.[0]|keys|join(",")'])).stdout).toBe("Health,id\n");
    expect((await list([CRM, ...query, "--jq", "length"])).stdout).toBe("2\n");
    expect((await list([CRM, "--filter", "group=nobody", "--jq", "length"])).stdout).toBe("0\n");
    expect((await list([CRM, "--filter", "group=nobody", "--jq", ".[]"])).stdout).toBe("");
  });

  it("takes the results that are not lists, and the JSON that commands print themselves", async () => {
    expect((await amp("projects", "get", "acme", "--jq", ".name")).stdout).toBe("acme\n");
    expect((await amp("api", "/projects", "--jq", ".[].name")).stdout).toContain("acme\n");
    expect((await amp("notify", "schema", "--jq", '."$schema"')).stdout).toMatch(/^https?:/u);
    const exported = await amp("notify", "export", "--jq", "keys | length");
    expect(Number(exported.stdout)).toBeGreaterThan(0);
  });

  it("runs a program of items on a long list in parts, and any other on the whole", async () => {
    const many = Array.from({ length: 2500 }, (_, at) => ({ ...BARE, id: `ins_${at}` }));
    const replies = () => [{ method: "GET", body: many }];
    const args = ["installations", "list", CRM, "--jq"];
    const each = await run([...args, ".[] | .id"], { replies: replies() });
    expect(each.stdout).toBe(many.map(({ id }) => `${id}\n`).join(""));
    expect((await run([...args, "length"], { replies: replies() })).stdout).toBe("2500\n");
  });

  it("exits 2 with jq's words before anything is sent, if the program is not valid", async () => {
    const { code, stdout, error, requests } = await list([CRM, "--jq", ".["]);
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(error()).toMatchObject({ code: "usage", detail: expect.stringContaining("line 1") });
  });

  it("exits 2 if the program fails, and says that the command was carried out", async () => {
    const { code, stdout, error } = await list([CRM, "--jq", ".id"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(error()).toMatchObject({
      message: "--jq failed",
      detail: expect.stringContaining("Cannot index array"),
      done: expect.stringContaining("The command was carried out"),
    });
  });

  const writing = leaves.filter(
    ({ path, command }) =>
      command.effect === "write" && INVOCATIONS[path]?.noJson === undefined && path !== "listen",
  );

  it.each(writing)(
    "that fails loses no result of $path: all of it is printed",
    async ({ path }) => {
      const { code, stdout, error, requests, json } = await runGood(path, ["--jq", 'error("no")']);
      expect(code).toBe(2);
      expect(error()).toMatchObject({ message: "--jq failed", detail: "no" });
      const isWrite = requests.some(({ method }) => method !== "GET");
      if (isWrite || path !== "api") expect(json()).toBeTypeOf("object");
      else expect(stdout).toBe("");
    },
  );

  it("that fails ends with the code of an apply that is not whole, and is a warning", async () => {
    const place = placeWith();
    const { fetch } = place.sandbox;
    const ended = await place.notify(
      'apply -f routing.yaml --yes AMP_PARALLEL=1 --jq error("no")',
      {
        fetch: async (request) =>
          request.method === "POST" && request.url.includes("-routes")
            ? Response.json({ title: "Invalid", status: 422 }, { status: 422 })
            : fetch(request),
      },
    );
    expect(ended.code).toBe(9);
    expect(ended.json()).toMatchObject({ counts: { created: 2 } });
    expect(ended.error()).toMatchObject({
      exitCode: 9,
      warnings: [expect.stringContaining("--jq failed: no")],
    });
  });

  it("is not run on the body of an error, which then explains the error", async () => {
    const post = ["api", "POST", "/projects/acme/topics", "--field", "nme=x"];
    for (const program of [".name", ".[].id"]) {
      const { code, stdout, error } = await amp(...post, "--jq", program);
      expect([code, stdout]).toEqual([6, ""]);
      expect(error()).toMatchObject({
        status: 422,
        issues: [{ name: "name", detail: "is required" }, { name: "nme" }],
        problem: { subsystem: "notifications" },
        requestId: expect.any(String),
      });
    }
    const missing = await amp("api", "/projects/acme/nosuch", "--jq", ".[].id");
    expect([missing.code, missing.stdout]).toEqual([3, ""]);
    expect(missing.error()).toMatchObject({ status: 404, title: "No such operation" });
  });

  it("keeps the error of a body that is too long to explain it", async () => {
    const fetch = async () => new Response("x".repeat(2000), { status: 400 });
    const argv = ["api", "/projects", "--jq", "."];
    const { code, stdout, error } = await run(argv, { fetch, env: { AMP_MAX_BODY: "1KB" } });
    expect([code, stdout]).toEqual([6, ""]);
    expect(error()).toMatchObject({ status: 400 });
  });

  it.each([
    [["projects", "list", "--jq", ".", "-o", "csv"], '--jq and --output "csv" conflict'],
    [["projects", "list", "--jq", ".", "-o", "count"], '--jq and --output "count" conflict'],
    [["api", "/projects", "--jq", ".", "--include"], "--include and --jq conflict"],
    [["completion", "bash", "--jq", "."], "--jq has no effect on amp completion"],
  ])("is refused: %j", async (argv, message) => {
    const { code, error } = await amp(...argv);
    expect(code).toBe(2);
    expect(error().message).toContain(message);
  });
});
