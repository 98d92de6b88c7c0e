import type { Api } from "../../src/api/api.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { NotFoundError } from "../../src/errors.ts";

/** What a fake service was asked to create. */
export interface Asked {
  readonly creates: string;
  readonly body: unknown;
}

/** A service in memory. */
export interface FakeService extends Api {
  readonly asked: Asked[];
}

/** What the service has, by the template's last part; absent: it has no lists. */
export type Lists = Readonly<Record<string, readonly object[]>>;

/**
 * A service that creates, one id after the other.
 * @param meddle called before each create, with its number from 1; what it throws is thrown
 */
export function fakeService(meddle: (call: number) => void = () => {}, lists?: Lists): FakeService {
  const asked: Asked[] = [];
  const call = async (endpoint: Endpoint, input: { body?: unknown }) => {
    if (endpoint.method === "GET") {
      const found = lists?.[endpoint.path.split("/").at(-1) ?? ""];
      if (found) return found;
      throw new NotFoundError(`Could not ${endpoint.does}: not found (404)`, { status: 404 });
    }
    asked.push({ creates: endpoint.creates ?? "", body: input.body });
    meddle(asked.length);
    return { id: `id-${asked.length}`, ...(input.body as object) };
  };
  return {
    asked,
    call: call as Api["call"],
    raw: async () => {
      throw new Error("no raw requests here");
    },
  };
}
