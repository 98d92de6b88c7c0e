import { expect, it } from "vitest";
import { type RunInput, sandboxAt } from "../../harness.ts";
import { placeWith } from "./notify-fixture.ts";
import { setup } from "./setups.ts";

/** A name that looks like a part of a secret URL, and is one here. */
const NAME = "production8";
const URL_WITH_NAME = `https://hooks.acme.com/${NAME}/T0AB12CD34/roduction`;

/** A service without lists that fails at topics. */
function failingTopics(answer: () => Response) {
  const sandbox = sandboxAt();
  const fetch: RunInput["fetch"] = async (request) => {
    const isRouting = /-routes|destinations|topics/u.test(request.url);
    if (isRouting && request.method === "GET")
      return Response.json({ status: 404 }, { status: 404 });
    const isTopic = request.method === "POST" && request.url.endsWith("/topics");
    return isTopic ? answer() : sandbox.fetch(request);
  };
  return { sandbox, fetch };
}

it.each([
  ["in the path", `metadata: { url: "${URL_WITH_NAME}" }`],
  ["in a header", `metadata: { url: https://hooks.acme.com/amp, headers: { X-Env: ${NAME} } }`],
])("names of the file are shown where they are %s too", async (_, metadata) => {
  const { sandbox, fetch } = failingTopics(() => new Response(null, { status: 403 }));
  const place = placeWith(sandbox);
  place.write(
    "routing.yaml",
    `version: 1
destinations: { dz: { type: webhook, ${metadata} } }
topics: { ${NAME}: { events: [installation.created], destinations: [dz] } }
`,
  );
  const plan = await place.notify("plan -f routing.yaml", { fetch });
  expect(plan.stdout).toContain(`event-route/${NAME}/installation.created`);
  const refused = await place.notify("apply -f routing.yaml --yes --json", { fetch });
  expect(refused.stderr).toContain(`"address": "topic/${NAME}"`);
  const failing = failingTopics(() => new Response(null, { status: 500 }));
  const unknown = await place.notify("apply -f routing.yaml --yes", { fetch: failing.fetch });
  expect(unknown.stderr).toContain(`amp notify state resolve topic/${NAME} --id <id>`);
  for (const { stdout, stderr } of [plan, refused, unknown]) {
    expect(stdout + stderr).not.toContain("T0AB12CD34");
  }
});

it("a part of the path is shown in a name that contains it", async () => {
  const { sandbox, fetch } = failingTopics(() => new Response(null, { status: 403 }));
  const place = placeWith(sandbox);
  place.write(
    "routing.yaml",
    `version: 1
destinations: { dz: { type: webhook, metadata: { url: "https://hooks.acme.com/postnumid1" } } }
topics: { tpostnumid1: { events: [installation.created], destinations: [dz] } }
`,
  );
  const { stderr } = await place.notify("apply -f routing.yaml --yes", { fetch });
  expect(stderr).toContain("topic/tpostnumid1: ");
});

it("names that setup is given are shown", async () => {
  const world = failingTopics(() => new Response(null, { status: 403 }));
  const words = ["--destination-name", NAME, "--destination-type", "webhook"];
  const more = ["--url", URL_WITH_NAME, "--topic", NAME, "--event", "installation.created"];
  const { stderr } = await setup([...words, ...more, "--yes"], world);
  expect(stderr).toContain(`topic/${NAME}`);
  expect(stderr).not.toContain("T0AB12CD34");
});
