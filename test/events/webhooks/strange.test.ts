import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { examine } from "./examine.ts";
import { SECRET } from "./receivers.ts";

const KEY = Buffer.from(SECRET.slice("whsec_".length), "base64");

interface Came {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Its number, from 1. */
  readonly number: number;
  /** Whether a body has one of the signatures. */
  readonly isSigned: (body?: string | Buffer) => boolean;
  readonly isRecent: boolean;
}

type Handler = (came: Came, say: (status: number, body?: string) => void) => unknown;

const OPEN: (() => void)[] = [];
afterEach(() => {
  for (const close of OPEN.splice(0)) close();
});

async function urlOf(handler: Handler): Promise<URL> {
  let number = 0;
  const server = createServer(async (request, response: ServerResponse) => {
    number += 1;
    const { headers } = request;
    const [id, stamp, signature] = ["id", "timestamp", "signature"].map((name) =>
      String(headers[`svix-${name}`] ?? ""),
    ) as [string, string, string];
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isSigned = (text: string | Buffer = body) => {
      const mac = createHmac("sha256", KEY).update(`${id}.${stamp}.`).update(text);
      return signature.split(" ").includes(`v1,${mac.digest("base64")}`);
    };
    const isRecent = Math.abs(Date.now() / 1000 - Number(stamp)) < 300;
    handler(
      { id, timestamp: Number(stamp), signature, headers, body, number, isSigned, isRecent },
      (status, text = "") => {
        response.writeHead(status).end(text);
      },
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  OPEN.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/amp`);
}

/** A handler that refuses what is not signed or not recent, and leaves the rest to another. */
function verifying(handler: Handler): Handler {
  return (came, say) =>
    came.isSigned() && came.isRecent ? handler(came, say) : say(401, "bad signature");
}

const SITE =
  '<!doctype html>\n<html><head><title>My &quot;App&quot;</title></head><body><div id="root"></div></body></html>';
const EXPRESS_PAGE =
  "<!DOCTYPE html>\n<html>\n<head><title>Error</title></head>\n<body>\n<pre>TypeError: config is undefined<br> &nbsp; at handle</pre>\n</body>\n</html>";

/** What Python's json.dumps writes. */
function pythonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([key, one]) => `"${key}": ${pythonText(one)}`);
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value).replace(/[^\0-\x7f]/gu, (one) =>
    [...Array(one.length).keys()]
      .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

interface Expected {
  readonly handler: Handler;
  readonly outcome?: "warn";
  readonly checks: readonly string[];
  readonly says: RegExp;
  readonly message: RegExp;
  readonly answer?: string;
  readonly limitMs?: number;
}

const SIGNATURES = ["tampered", "wrong-key", "unsigned", "stale", "future", "swapped-id"];

const STRANGE: Readonly<Record<string, () => Expected>> = {
  "answers everything with a web page": () => ({
    handler: (_came, say) => say(200, SITE),
    checks: ["known-events"],
    says: /is this the right URL\?/u,
    message: /^200 and a web page for every event type/u,
    answer: 'My "App"',
  }),
  "takes the time for milliseconds": () => ({
    handler: (came, say) =>
      came.isSigned() && Math.abs(Date.now() - came.timestamp) < 300_000
        ? say(204)
        : say(401, "timestamp too old"),
    checks: ["known-events"],
    says: /only if svix-timestamp is in milliseconds\. It is in seconds/u,
    message: /^401 for every event type$/u,
    answer: "timestamp too old",
  }),
  "refuses a content type with a charset": () => ({
    handler: verifying(({ headers }, say) =>
      headers["content-type"] === "application/json" ? say(202) : say(415, "Unsupported type\n"),
    ),
    checks: ["charset"],
    says: /requires that the content type is application\/json and nothing else/u,
    message: /^415 for the content type application\/json; charset=utf-8$/u,
    answer: "Unsupported type",
  }),
  "fails once": () => ({
    handler: verifying(({ number }, say) => (number === 3 ? say(503, "starting") : say(200))),
    outcome: "warn",
    checks: ["known-events"],
    says: /did as it should when the message was sent again/u,
    message: /^failed once, then accepted: 503 for /u,
    answer: "starting",
  }),
  "fails once while it refuses": () => {
    let failed = false;
    return {
      handler: (came, say) => {
        if (came.isSigned() && came.isRecent) return say(204);
        const isFirst = !failed;
        failed = true;
        return isFirst ? say(502) : say(401);
      },
      outcome: "warn",
      checks: ["tampered"],
      says: /did as it should/u,
      message: /^failed once, then rejected: 502 for a body that was changed after signing$/u,
    };
  },
  "says in its answer why it refuses": () => ({
    handler: (_came, say) =>
      say(400, JSON.stringify({ error: "WEBHOOK_KEY is not set" }, undefined, 2)),
    checks: ["known-events"],
    says: /Its answer or its log may name the reason/u,
    message: /^400 for every event type$/u,
    answer: '{"error":"WEBHOOK_KEY is not set"}',
  }),
  "fails with the error page of its framework": () => ({
    handler: (_came, say) => say(500, EXPRESS_PAGE),
    checks: ["known-events"],
    says: /fails for every event/u,
    message: /^500 for every event type$/u,
    answer: "TypeError: config is undefined",
  }),
  "is slow and verifies nothing": () => ({
    handler: (_came, say) => setTimeout(() => say(200), 600),
    checks: ["known-events"],
    says: /before it responds/u,
    message: /^no response within 0\.15 s for /u,
    limitMs: 150,
  }),
  "stores the ID before it verifies": () => {
    const seen = new Set<string>();
    return {
      handler: (came, say) => {
        if (seen.has(came.id)) return say(200, "duplicate");
        seen.add(came.id);
        return verifying((_same, answer) => answer(200))(came, say);
      },
      checks: SIGNATURES,
      says: /stores the message ID before it verifies/u,
      message: /^200 for .*, sent twice$/u,
      answer: "duplicate",
    };
  },
  "remembers signatures that were valid": () => {
    const valid = new Set<string>();
    return {
      handler: (came, say) => {
        if (came.isSigned() && came.isRecent) valid.add(came.signature);
        return valid.has(came.signature) ? say(204) : say(401);
      },
      checks: ["swapped-id"],
      says: /remembers signatures that were valid/u,
      message: /^204 for the signature of another message ID$/u,
    };
  },
  "refuses customers that it does not know": () => ({
    handler: verifying((_came, say) => say(404, "unknown customer")),
    checks: ["known-events"],
    says: /accepts the signature, and rejects the event itself/u,
    message: /^404 for every event type, but 401 for a signature made with another secret$/u,
    answer: "unknown customer",
  }),
  "refuses with a status of success": () => ({
    handler: (came, say) =>
      came.isSigned() && came.isRecent ? say(200, "ok") : say(200, '{"error":"bad signature"}'),
    checks: SIGNATURES,
    says: /returns 2xx for messages that its answer rejects/u,
    message: /^200 for /u,
    answer: '{"error":"bad signature"}',
  }),
  "does not answer what it refuses": () => ({
    handler: (came, say) => (came.isSigned() && came.isRecent ? say(204) : undefined),
    checks: SIGNATURES,
    says: /does not respond to messages that it rejects/u,
    message: /^no response within 0\.3 s for /u,
    limitMs: 300,
  }),
  "verifies what Python serialises": () => ({
    handler: (came, say) =>
      came.isSigned(pythonText(JSON.parse(came.body.toString("utf8")))) && came.isRecent
        ? say(204)
        : say(401),
    checks: ["known-events"],
    says: /parsed and serialised again/u,
    message: /^401 for every event type$/u,
  }),
};

describe("a receiver that", () => {
  it.each(Object.entries(STRANGE))("%s gets one line, of its cause", async (_name, make) => {
    const { handler, outcome = "fail", checks, says, message, answer, limitMs } = make();
    const { result } = await examine(await urlOf(handler), { limitMs });
    expect(result.diagnosis).toEqual([{ checks, says: expect.stringMatching(says) }]);
    const named = result.checks.filter((check) => ["fail", "warn"].includes(check.outcome));
    expect(named.map((check) => [check.name, check.outcome])).toEqual(
      checks.map((name) => [name, outcome]),
    );
    expect(named[0]?.message).toMatch(message);
    expect(named[0]?.answer).toBe(answer);
  });
});

it("concludes nothing from a check that was not chosen", async () => {
  const chosen = ["tampered", "wrong-key", "unsigned", "swapped-id"];
  const url = await urlOf((_came, say) => say(200));
  const { result } = await examine(url, { checks: chosen });
  expect(result.diagnosis).toEqual([
    { checks: chosen, says: expect.stringMatching(/^The receiver does not verify signatures/u) },
  ]);
});

it("sends what is refused twice, and the original before another ID has its signature", async () => {
  const { log } = await examine(await urlOf(verifying((_came, say) => say(204))));
  const of = (check: string) =>
    log.filter((line) => line.includes(`_${check}_`)).map((line) => line.split("_").at(-1));
  expect(of("tampered")).toEqual(["1 401", "1 401"]);
  // Its own ID is changed in a header.
  expect(of("swappedid")).toEqual(["1 204", "1 401", "1 401", "3 401", "3 401"]);
});

it("asks again once only where a receiver keeps failing", async () => {
  const { log } = await examine(await urlOf((_came, say) => say(500)));
  expect(new Set(log.map((line) => line.split(" ")[0])).size).toBe(log.length - 1);
});
