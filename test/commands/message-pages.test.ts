import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { BODY, LOCAL, post, SECRET, signed } from "../events/listen/listening.ts";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Every label of a message and its attempts, in the order in which each command shows its own. */
const LABELS = [
  ...["Time", "Event", "Signature", "Signed", "Result", "Reason", "Destination", "Attempt"],
  ...["Next attempt", "Took", "Message", "Body"],
];

const env = { SIGNING: SECRET, AMP_BASE_URL: undefined };
const NOT_VALID = "not valid: the signature matches only if the line end after the body is removed";

const rowsOf = (text: string) => text.split("\n").map((line) => line.split("\t"));
/** The labels of a page, which are all in the one order. */
const labelsOf = (text: string) => {
  const labels = rowsOf(text).flatMap(([label = ""]) => (LABELS.includes(label) ? [label] : []));
  expect(labels).toEqual(LABELS.filter((label) => labels.includes(label)));
  return labels;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await promisify(server.close.bind(server))();
  return port;
}

it("shows a message alike in listen, webhooks verify, trigger and sandbox deliveries", async () => {
  const [cwd, port, end] = [temporaryFolder(), await freePort(), new AbortController()];
  const url = `http://127.0.0.1:${port}/`;
  let sent = "";
  // The first row is the secret, so that it is known when messages can come.
  const argv = ["listen", "--port", `${port}`, "--save", "m.ndjson", "--print-secret", ...LOCAL];
  const { stdout } = await run(argv, {
    cwd,
    env,
    signal: end.signal,
    onOutput: async (text) => {
      if (!text.startsWith("secret")) return;
      await post(url, `${BODY}\n`, signed(BODY));
      const to = ["--to", url, "--secret", "env:SIGNING", "-o", "table"];
      const { stdout: page } = await run(["trigger", "connection.error", ...to], { env });
      sent = page.replaceAll(/ {2,}/gu, "\t");
      end.abort("SIGINT");
    },
  });
  const [, [time = "", ...first] = [], second = []] = rowsOf(stdout);
  const took = expect.stringMatching(/^\d+$/u);
  expect(first).toEqual(["connection.error", NOT_VALID, "failed 401", "", took, "msg_1"]);
  expect(second.slice(1, 4)).toEqual(["connection.error", "valid", "delivered 204"]);
  expect(labelsOf(sent)).toEqual(["Event", "Result", "Destination", "Took", "Message", "Body"]);
  expect(Object.fromEntries(rowsOf(sent))).toMatchObject({ Result: "delivered 204" });

  const [line = ""] = readFileSync(join(cwd, "m.ndjson"), "utf8").split("\n");
  writeFileSync(join(cwd, "one.ndjson"), line);
  const page = await run(["webhooks", "verify", "one.ndjson", "--secret", "env:SIGNING"], {
    cwd,
    env,
    tty: true,
  });
  // The verdict comes before everything else.
  expect(page.stdout).toMatch(/^\S*The signature is not valid/u);
  const verify = ["webhooks", "verify", "one.ndjson", "--secret", "env:SIGNING", "-o", "tsv"];
  const { stdout: verified } = await run(verify, { cwd, env });
  expect(labelsOf(verified)).toEqual(["Time", "Event", "Signature", "Signed", "Message", "Body"]);
  expect(Object.fromEntries(rowsOf(verified))).toMatchObject({ Time: time, Signature: NOT_VALID });

  const deliveries = ["sandbox", "deliveries", "-o", "csv"];
  const [head = ""] = (await run(deliveries, { sandbox: sandboxAt() })).stdout.split("\n");
  expect(head.split(",")).toEqual(
    LABELS.filter((label) => !["Signature", "Signed", "Body"].includes(label)),
  );
});
