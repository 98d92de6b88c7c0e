import type { AppParts } from "../app.ts";
import type { Notice } from "../events/platform-events.ts";
import { eventRow, messageRow } from "./rows.ts";

type Parts = Pick<AppParts, "store" | "events">;

const BEAT_MS = 15_000;
/** Notices are sent together, since thousands may come at once. */
const TOGETHER_MS = 50;
/** More than these are not worth showing one by one: the reader asks for the list again. */
const MAX_WAITING = 500;

/** Open streams, which end with the sandbox. */
export type Streams = Set<() => void>;

/** What happens in a project, as server-sent events, until the reader or the sandbox ends. */
export function eventStream(parts: Parts, projectId: string, streams: Streams): Response {
  let waiting = new Map<string, Notice>();
  let isLost = false;
  let wake = () => {};
  const forget = parts.events.watch((notice) => {
    waiting.set(keyOf(notice), notice);
    if (waiting.size > MAX_WAITING || notice.kind === "reset") {
      waiting = new Map();
      isLost = true;
    }
    wake();
  });
  const beat = setInterval(() => wake(), BEAT_MS).unref();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      end = () => {
        forget();
        clearInterval(beat);
        streams.delete(close);
        wake();
      };
      const close = () => {
        end();
        controller.close();
      };
      streams.add(close);
      controller.enqueue(Buffer.from(": open\n\n"));
    },
    pull: async (controller) => {
      if (waiting.size === 0 && !isLost) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
      }
      const notices = isLost ? [frame("lost", {}), frame("state", {})] : [];
      const text = [
        ...notices,
        ...[...waiting.values()].map((one) => shown(parts, projectId, one)),
      ];
      waiting = new Map();
      isLost = false;
      controller.enqueue(Buffer.from(text.join("") || ": \n\n"));
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

/** Of several notices of one message, only the last is sent. */
function keyOf(notice: Notice): string {
  if (notice.kind === "event") return notice.eventId;
  return notice.kind === "attempt" ? notice.messageId : notice.kind;
}

function shown({ store, events }: Parts, projectId: string, notice: Notice): string {
  if (notice.kind !== "event" && notice.kind !== "attempt") return frame("state", {});
  const event = events.history.event(notice.eventId);
  if (event?.projectId !== projectId) return "";
  if (notice.kind === "event") return frame("event", eventRow({ store, events }, event));
  const tracked = events.history.message(notice.messageId);
  if (tracked === undefined) return "";
  const message = messageRow({ store, events }, tracked);
  return frame("attempt", { eventId: event.id, message });
}

function frame(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
