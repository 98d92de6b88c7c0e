import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { createTopic, listTopics, revokeInvite } from "../../../src/api/operations/endpoints.ts";
import { type AmpError, PartialError, ServiceError } from "../../../src/errors.ts";
import { type Fake, fake, serve } from "../fake-service.ts";

const path = { projectIdOrName: "p" };
const read = (service: Fake) => service.api.call(listTopics, { path });
const revoke = (service: Fake) =>
  service.api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } });
const create = (service: Fake) => service.api.call(createTopic, { path, body: { name: "ops" } });

async function failure(call: Promise<unknown>): Promise<AmpError> {
  return (await call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error,
  )) as AmpError;
}

/** A real server that notes what it was asked. */
async function noting(
  answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void,
) {
  const asked: string[] = [];
  const keys: unknown[] = [];
  const server = await serve((request, response, nth) => {
    asked.push(`${request.method} ${request.url}`);
    keys.push(request.headers["x-api-key"]);
    answer(request, response, nth);
  });
  return { ...server, asked, keys };
}

const json = (response: ServerResponse) =>
  response.setHeader("content-type", "application/json").end("[]");

describe("a redirect within the origin", () => {
  test.each([301, 302, 303, 307, 308])("%i of a read is followed, with the key", async (status) => {
    const { baseUrl, asked, keys } = await noting((_, response, nth) => {
      if (nth > 1) return json(response);
      response.writeHead(status, { location: "/v2/topics?x=1" }).end("moved");
    });
    expect(await read(fake(undefined, { baseUrl }))).toEqual([]);
    expect(asked).toEqual(["GET /v1/projects/p/topics", "GET /v2/topics?x=1"]);
    expect(keys[1]).toBe(keys[0]);
  });

  test.each([
    [301, "DELETE"],
    [302, "DELETE"],
    [307, "DELETE"],
    [308, "DELETE"],
    // "See other": it is done, and the other tells of it.
    [303, "GET"],
  ])("%i of a delete is followed as %s", async (status, method) => {
    const { baseUrl, asked } = await noting((_, response, nth) => {
      if (nth > 1) return response.writeHead(204).end();
      response.writeHead(status, { location: "/v1/orgs/own/invites/i" }).end();
    });
    expect(await revoke(fake(undefined, { baseUrl }))).toBeUndefined();
    expect(asked[1]).toBe(`${method} /v1/orgs/own/invites/i`);
  });

  test.each([301, 302, 307, 308])(
    "%i of a delete to another ID is not followed",
    async (status) => {
      const { baseUrl, served } = await noting((_, response) =>
        response.writeHead(status, { location: "another" }).end(),
      );
      const error = await failure(revoke(fake(undefined, { baseUrl })));
      expect(error.facts.remedy).toBe("It would delete something else. Check the base URL.");
      expect(served()).toBe(1);
    },
  );

  test("is followed three times, and not a fourth time", async () => {
    const hops = (most: number) =>
      noting((_, response, nth) => {
        if (nth > most) return json(response);
        response.writeHead(302, { location: `/v1/${nth}` }).end();
      });
    const three = await hops(3);
    expect(await read(fake(undefined, { baseUrl: three.baseUrl }))).toEqual([]);
    const four = await hops(4);
    const error = await failure(read(fake(undefined, { baseUrl: four.baseUrl })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.facts.remedy).toContain("at most three redirects");
    expect(four.served()).toBe(4);
  });

  test("is reported for --debug, each hop", async () => {
    const { baseUrl } = await noting((_, response, nth) => {
      if (nth > 1) return json(response);
      response.writeHead(302, { location: "/v1/there" }).end();
    });
    const service = fake(undefined, { baseUrl });
    await read(service);
    expect(service.notes.map(({ status, url }) => [status, new URL(url).pathname])).toEqual([
      [302, "/v1/projects/p/topics"],
      [200, "/v1/there"],
    ]);
  });

  test.each([301, 302, 303, 307, 308])("%i of a create leaves it unknown", async (status) => {
    const { baseUrl, served } = await noting((_, response) => {
      response.writeHead(status, { location: "/v1/elsewhere" }).end();
    });
    const error = await failure(create(fake(undefined, { baseUrl })));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.facts.done).toBe("The topic may exist. The request was not sent again.");
    expect(served()).toBe(1);
  });
});

describe("a redirect to another origin", () => {
  test.each([
    ["another port", (url: string) => `${url}/stolen?token=secret`],
    ["another scheme", (url: string) => url.replace("http:", "https:")],
    ["another name", (url: string) => url.replace("127.0.0.1", "localhost")],
    ["no scheme", (url: string) => url.replace("http:", "")],
  ])("by %s is followed nowhere, and no credential with it", async (_, elsewhere) => {
    const other = await serve((_request, response) => response.end("[]"));
    const { baseUrl, served } = await serve((_request, response) => {
      response.writeHead(302, { location: elsewhere(other.baseUrl) }).end();
    });
    const error = await failure(read(fake(undefined, { baseUrl })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe("The service answered with a redirect (302)");
    const { origin } = new URL(elsewhere(other.baseUrl), baseUrl);
    expect(error.facts.detail).toMatch(`It redirects to ${origin}/v1`);
    expect(error.facts.detail).not.toContain("secret");
    expect(error.facts.remedy).toContain("log in there with --base-url");
    expect(other.served()).toBe(0);
    expect(served()).toBe(1);
  });

  test("or with user info, or to no place at all, is not followed either", async () => {
    for (const location of ["http://u:pw@127.0.0.1:1/", "file:///etc/passwd", "http://[", ""]) {
      const { baseUrl, served } = await serve((_, response) => {
        response.writeHead(302, location === "" ? {} : { location }).end();
      });
      const error = await failure(read(fake(undefined, { baseUrl })));
      expect(error).toBeInstanceOf(ServiceError);
      expect(JSON.stringify(error.facts)).not.toContain("pw@");
      expect(served()).toBe(1);
    }
  });

  test("over plain http to another machine is not followed even within it", async () => {
    const service = fake(
      () => new Response(null, { status: 302, headers: { location: "/v1/x" } }),
      {
        baseUrl: "http://10.0.0.7/v1",
      },
    );
    const error = await failure(read(service));
    expect(error.facts.remedy).toContain("never sent unencrypted");
    expect(service.requests).toHaveLength(1);
  });
});

test("a redirect of a raw request is an answer like any other", async () => {
  const { baseUrl, served } = await serve((_, response) => {
    response.writeHead(302, { location: "/v1/x" }).end();
  });
  const answer = await fake(undefined, { baseUrl }).api.raw({ method: "GET", path: "/x" });
  expect(answer.status).toBe(302);
  expect(served()).toBe(1);
});
