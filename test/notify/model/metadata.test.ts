import { describe, expect, it } from "vitest";
import { deliversTo } from "../../../src/notify/model/metadata.ts";
import { Secret } from "../../../src/secrets/secret.ts";

const targetOf = (url: string, type = "webhook") => deliversTo({ type, metadata: { url } });

describe("the target of a destination", () => {
  it.each([
    ["https://hooks.acme.com", "https://hooks.acme.com"],
    ["https://hooks.acme.com/", "https://hooks.acme.com"],
    ["https://hooks.acme.com/amp", "https://hooks.acme.com/amp"],
    ["https://hooks.acme.com/amp/", "https://hooks.acme.com/amp/"],
    ["https://hooks.acme.com:8443/v1/crm-sync/in2", "https://hooks.acme.com:8443/v1/crm-sync/in2"],
    ["https://hooks.acme.com/teams/17/events.json", "https://hooks.acme.com/teams/17/events.json"],
  ])("shows the words of a path: %s", (url, shown) => {
    expect(targetOf(url)).toBe(shown);
  });

  it.each([
    [
      "https://hooks.zapier.com/hooks/catch/1234567/abc8def",
      "https://hooks.zapier.com/hooks/catch/…",
    ],
    ["https://x.test/in/9f86d081884c7d65/out", "https://x.test/in/…/out"],
    ["https://x.test/webhook/NTg2Mzk0ODIw", "https://x.test/webhook/…"],
    ["https://x.test/113e9685-9a51-42cc-8662-9d9725b17f14", "https://x.test/…"],
    ["https://x.test/thequickbrownfoxjumps", "https://x.test/…"],
    ["https://x.test/in?token=abc", "https://x.test/in?…"],
    ["https://x.test/%E2%82%AC", "https://x.test/…"],
  ])("leaves out what may open the receiver: %s", (url, shown) => {
    expect(targetOf(url)).toBe(shown);
  });

  it("is the host alone where the URL is a secret as a whole", () => {
    expect(targetOf("https://hooks.slack.com/services/a/b")).toBe("https://hooks.slack.com/…");
    expect(targetOf("https://chat.acme.com/in", "slack")).toBe("https://chat.acme.com/…");
    expect(targetOf("https://me:word@x.test/in")).toBe("https://x.test/…");
    const url = "https://x.test/in";
    const secret = new Secret(url, { from: "env", name: "HOOK" });
    const references = [{ path: ["url"], secret }];
    expect(deliversTo({ type: "webhook", metadata: { url }, references })).toBe("https://x.test/…");
  });
});
