import { setTimeout as pause } from "node:timers/promises";
import type { AppParts } from "../app.ts";
import type { Notice } from "../events/platform-events.ts";
import { eventRow, messageRow } from "./rows.ts";

type Parts = Pick<AppParts, "store" | "events">;

const BEAT_MS = 15_000;
/** Notices are sent together, since thousands may come at once. */
const TOGETHER_MS = 50;
/** More than these are not worth showing one by one: the reader asks for the list again. */
const MAX_WAITING = 500;

/** What happens in a project, as server-sent events, until the reader or the sandbox ends. */
export function eventStream(parts: Parts, projectId: string, end: AbortSignal): Response {
  let wake = () => {};
  // Of several notices of one message, only the last is sent.
  let waiting = new Map<string | undefined, Notice>();
  const frames = async function* () {
    const look = () => wake();
    const forget = parts.events.watch((notice) => {
      if (waiting.size > MAX_WAITING) waiting = new Map([[undefined, {}]]);
      waiting.set(notice.messageId ?? notice.eventId, notice);
      wake();
    });
    const beat = setInterval(look, BEAT_MS).unref();
    end.addEventListener("abort", look);
    try {
      yield Buffer.from(": open\n\n");
      while (!end.aborted) {
        if (waiting.size === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          if (!end.aborted) await pause(TOGETHER_MS);
        }
        const notices = [...waiting.values()];
        waiting = new Map();
        yield Buffer.from(notices.map((one) => shown(parts, projectId, one)).join("") || ": \n\n");
      }
    } finally {
      forget();
      clearInterval(beat);
      end.removeEventListener("abort", look);
    }
  };
  return new Response(ReadableStream.from(frames()), {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

function shown(parts: Parts, projectId: string, { eventId, messageId }: Notice): string {
  if (eventId === undefined) return frame("state", {});
  const { history } = parts.events;
  const event = history.event(eventId);
  if (event?.projectId !== projectId) return "";
  if (messageId === undefined) return frame("event", eventRow(parts, event));
  const tracked = history.message(messageId);
  return tracked ? frame("attempt", { eventId, message: messageRow(parts, tracked) }) : "";
}

function frame(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
