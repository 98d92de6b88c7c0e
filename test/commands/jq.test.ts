import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { BARE, CRM, list } from "./installations-at.ts";

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

  it("takes the results that are no lists, and the JSON that commands print themselves", async () => {
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

  it.each([
    [["projects", "list", "--jq", ".", "-o", "csv"], '--jq and --output "csv" conflict'],
    [["projects", "list", "--jq", ".", "--count"], "--jq and --count conflict"],
    [["api", "/projects", "--jq", ".", "--include"], "--include and --jq conflict"],
    [["completion", "bash", "--jq", "."], "--jq has no effect on amp completion"],
  ])("is refused: %j", async (argv, message) => {
    const { code, error } = await amp(...argv);
    expect(code).toBe(2);
    expect(error().message).toContain(message);
  });
});
