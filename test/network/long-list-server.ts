import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";

/** The integration of the list; any other has the same. */
export const INTEGRATION = "113e9685-9a51-42cc-8662-9d9725b17f14";

/** A service with but one list. */
export interface LongListServer {
  readonly baseUrl: string;
  /** The whole answer. */
  readonly bytes: number;
  /** How much of it went out, in all. */
  sent(): number;
  close(): void;
}

const BATCH = 500;

/**
 * Serves so many installations, 1.3 kB each. Made beforehand, so that serving them costs little.
 * @param change makes of each record, by its place, what is served
 * @param others the answers of other lists, by the last part of their path
 */
export async function serveLongList(
  count: number,
  change: (record: object, nth: number) => unknown = (record) => record,
  others: Readonly<Record<string, unknown>> = {},
): Promise<LongListServer> {
  const parts = [...bodyOf(count, change)];
  let sent = 0;
  const counted = function* () {
    for (const part of parts) {
      sent += part.length;
      yield part;
    }
  };
  const server = createServer(({ url = "" }, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const other = others[url.split("/").at(-1) ?? ""];
    if (other !== undefined) return void response.end(JSON.stringify(other));
    // Whoever asks may stop before the end.
    pipeline(Readable.from(counted()), response, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bytes: parts.reduce((total, part) => total + part.length, 0),
    sent: () => sent,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function* bodyOf(
  count: number,
  change: (record: object, nth: number) => unknown,
): Generator<Buffer> {
  yield Buffer.from("[");
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    const items = Array.from({ length: size }, (_, at) =>
      JSON.stringify(change(installation(from + at), from + at)),
    );
    yield Buffer.from((from === 0 ? "" : ",") + items.join(","));
  }
  yield Buffer.from("]");
}

const PROJECT = { projectId: "prj_acme", createTime: "2026-07-01T10:00:00Z" };

function installation(nth: number): object {
  const group = { groupRef: `group-${nth}`, groupName: `Customer ${nth} GmbH & Co`, ...PROJECT };
  const consumer = { consumerRef: `user-${nth}`, consumerName: `Jane Doe ${nth}`, ...PROJECT };
  const read = (objectName: string, schedule: string, fields: readonly string[]) => ({
    objectName,
    schedule,
    destination: "crm-webhook",
    selectedFields: Object.fromEntries(fields.map((field) => [field, true])),
  });
  return {
    id: `${String(nth).padStart(8, "0")}-9a51-42cc-8662-9d9725b17f14`,
    ...PROJECT,
    integrationId: INTEGRATION,
    healthStatus: nth % 7 === 0 ? "unhealthy" : "healthy",
    connection: {
      id: `con_${nth}`,
      provider: "salesforce",
      group,
      consumer,
      authScheme: "oauth2/authorizationCode",
      status: "working",
      ...PROJECT,
    },
    createdBy: `consumer:user-${nth}`,
    config: {
      id: `cfg_${nth}`,
      revisionId: `rev_${nth}`,
      createTime: PROJECT.createTime,
      createdBy: `consumer:user-${nth}`,
      content: {
        provider: "salesforce",
        read: {
          objects: {
            account: read("account", "*/10 * * * *", ["id", "name", "domain", "phone"]),
            contact: read("contact", "0 * * * *", ["id", "email", "firstName"]),
          },
        },
      },
    },
    group,
    lastOperationStatus: nth % 5 === 0 ? "failure" : "success",
    updateTime: "2026-08-01T10:00:00Z",
  };
}
