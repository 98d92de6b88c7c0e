import { createHash } from "node:crypto";
import {
  differentLockError,
  type LockedState,
  lostLockError,
  notLockedError,
  type StateBackend,
} from "../backend.ts";
import type { HttpStateLocation } from "./http-location.ts";
import { type HttpStateServer, httpStateServer } from "./http-server.ts";
import { type LockInfo, newLockInfo, withServerLock } from "./lock.ts";
import type { StateServerOptions } from "./send.ts";

/** A state on a server of Terraform's HTTP state protocol, which GitLab and others implement. */
export function httpBackend(at: HttpStateLocation, options: StateServerOptions = {}): StateBackend {
  const server = httpStateServer(at, options);
  const { location } = server;
  return {
    location,
    local: false,
    read: () => server.read(true),
    withLock: (request, work) => {
      const info = newLockInfo(request.command);
      const lock = {
        location,
        id: info.ID,
        acquire: () => server.lock(info),
        release: () => server.unlock(info),
      };
      return withServerLock(lock, request, options, () => work(lockedServerState(server, info)));
    },
    unlock: async (id) => {
      // The protocol has no request for the holder, but a refused lock reports it.
      const probe = newLockInfo("amp notify unlock");
      const outcome = await server.lock(probe);
      if (outcome.taken) {
        await server.unlock(probe);
        throw notLockedError(location);
      }
      const { by } = outcome;
      if (by.id !== undefined && by.id !== id) throw differentLockError(location, id, by);
      await server.unlock({ ...probe, ID: id });
    },
  };
}

function lockedServerState(server: HttpStateServer, info: LockInfo): LockedState {
  /** The digests of all texts that this run has read or sent: any other is another run's. */
  const own = new Set<string>();
  let lost = false;

  function lose(): never {
    lost = true;
    throw lostLockError(server.location);
  }

  return {
    read: async () => {
      const text = await server.read();
      own.add(textDigest(text));
      return text;
    },
    write: async (text) => {
      if (lost) lose();
      own.add(textDigest(text));
      if (!(await server.save(text, info.ID))) lose();
    },
    check: async () => {
      if (lost) lose();
      // A second request for the lock is refused while this run holds it.
      const outcome = await server.lock(info);
      if (!outcome.taken) {
        // A server that does not report the holder cannot say that it is another run.
        if (outcome.by.id === undefined || outcome.by.id === info.ID) return;
        lose();
      }
      // The lock was granted again: some servers do so for the same ID, or somebody had removed it.
      // This run holds it either way, and may go on if nobody saved in the meantime.
      const now = textDigest(await server.read());
      if (own.size > 0 && !own.has(now)) lose();
      own.add(now);
    },
  };
}

function textDigest(text: string | undefined): string {
  return text === undefined ? "" : createHash("sha256").update(text).digest("base64");
}
