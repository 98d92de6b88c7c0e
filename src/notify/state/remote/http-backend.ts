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

/** A state on a server of Terraform's HTTP state protocol, as GitLab and others have it. */
export function httpBackend(at: HttpStateLocation, options: StateServerOptions = {}): StateBackend {
  const server = httpStateServer(at, options);
  const { place } = server;
  return {
    place,
    local: false,
    read: () => server.read(true),
    withLock: (request, work) => {
      const info = newLockInfo(request.command);
      const lock = {
        place,
        id: info.ID,
        take: () => server.lock(info),
        giveBack: () => server.unlock(info),
      };
      return withServerLock(lock, request, options, () => work(lockedServerState(server, info)));
    },
    unlock: async (id) => {
      // The protocol has no question for the holder; but who asks for the lock is told.
      const probe = newLockInfo("amp notify unlock");
      const outcome = await server.lock(probe);
      if (outcome.taken) {
        await server.unlock(probe);
        throw notLockedError(place);
      }
      const { by } = outcome;
      if (by.id !== undefined && by.id !== id) throw differentLockError(place, id, by);
      await server.unlock({ ...probe, ID: id });
    },
  };
}

function lockedServerState(server: HttpStateServer, info: LockInfo): LockedState {
  /** Of every text that this run has read or sent: by it the work of others is told. */
  const own = new Set<string>();
  let lost = false;

  function lose(): never {
    lost = true;
    throw lostLockError(server.place);
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
      // Asked for once more, the lock is refused while it is held.
      const outcome = await server.lock(info);
      if (!outcome.taken) {
        // A server that does not tell the holder cannot say that it is another one.
        if (outcome.by.id === undefined || outcome.by.id === info.ID) return;
        lose();
      }
      // Granted: some servers do so for the same id; or somebody had taken it away. It is held
      // either way, and is as good as before where nobody saved since this run looked first.
      const now = textDigest(await server.read());
      if (own.size > 0 && !own.has(now)) lose();
      own.add(now);
    },
  };
}

function textDigest(text: string | undefined): string {
  return text === undefined ? "" : createHash("sha256").update(text).digest("base64");
}
