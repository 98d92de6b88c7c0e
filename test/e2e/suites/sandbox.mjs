// A suite of somebody who knows the sandbox by HTTP alone: 50 tests at once, each in its own project.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, test } from "node:test";

const { AMP_BASE_URL, AMP_SANDBOX_TOKEN } = process.env;
const { origin } = new URL(AMP_BASE_URL);

async function ask(url, body, credential = { "x-api-key": "sandbox-api-key" }) {
  const headers = { "content-type": "application/json", ...credential };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { headers, ...sent });
  assert.ok(answer.ok, `${url}: ${answer.status}`);
  return answer.json();
}

const control = (path, body) =>
  ask(`${origin}/_sandbox/${path}`, body, { authorization: `Bearer ${AMP_SANDBOX_TOKEN}` });

async function receiver() {
  const messages = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    messages.push(JSON.parse(body));
    response.end();
    server.emit("message");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, messages, url: `http://127.0.0.1:${server.address().port}/` };
}

await control("reset", {});

describe("an event reaches the webhook of its project alone", { concurrency: 50 }, () => {
  for (let number = 0; number < 50; number += 1) {
    test(`project ${number}`, async () => {
      const project = `p${number}`;
      const own = `${AMP_BASE_URL}/projects/${project}`;
      const { server, messages, url } = await receiver();
      try {
        assert.deepEqual(await ask(`${own}/topics`), []);
        const { id: topicId } = await ask(`${own}/topics`, { name: "all" });
        const webhook = { name: "hook", type: "webhook", metadata: { url } };
        const { id: destinationId } = await ask(`${own}/destinations`, webhook);
        const eventType = "connection.error";
        await ask(`${own}/notification-event-topic-routes`, { topicId, eventType });
        await ask(`${own}/topic-destination-routes`, { topicId, destinationId });
        const arrived = once(server, "message");
        await control("trigger", { type: eventType, project, data: { number } });
        await arrived;
        assert.equal(messages.length, 1);
        assert.equal(messages[0].data.number, number);
        const latest = await ask(`${origin}/_sandbox/latest/${eventType}?project=${project}`);
        assert.equal(latest.data.number, number);
      } finally {
        server.close();
      }
    });
  }
});
