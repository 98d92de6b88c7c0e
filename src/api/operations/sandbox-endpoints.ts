import { endpoint } from "./endpoint.ts";

const ONLY_SANDBOX = "Only a sandbox can do this: start one with amp sandbox start.";

// The operations of the sandbox alone, below a path of their own: any other service answers 404.

/** Lets an event occur. */
export const triggerEvent = endpoint({
  method: "POST",
  path: "/sandbox/projects/{projectIdOrName}/events",
  does: "trigger the event",
  body: async () => (await import("../schemas/sandbox-event.ts")).triggerEventBody,
  answer: async () => (await import("../schemas/sandbox-event.ts")).triggered,
  optional: { does: "trigger events", remedy: ONLY_SANDBOX },
});

/** The fields that an event would have if it occurred. */
export const getSamplePayload = endpoint({
  method: "GET",
  path: "/sandbox/projects/{projectIdOrName}/payload",
  does: "make the payload",
  query: ["type", "installationId"],
  answer: async () => (await import("../schemas/sandbox-event.ts")).samplePayload,
  optional: { does: "make payloads", remedy: ONLY_SANDBOX },
});

/** The attempts to deliver, the oldest first. */
export const listDeliveries = endpoint({
  method: "GET",
  path: "/sandbox/projects/{projectIdOrName}/deliveries",
  does: "list the deliveries",
  query: ["destination", "after", "limit"],
  answer: async () => (await import("../schemas/sandbox-event.ts")).deliveryAttempts,
  optional: { does: "show deliveries", remedy: ONLY_SANDBOX },
});

/** Delivers a message again, or each message of an event; answers when that was attempted. */
export const redeliver = endpoint({
  method: "POST",
  path: "/sandbox/projects/{projectIdOrName}/redeliveries",
  does: "deliver the message again",
  body: async () => (await import("../schemas/sandbox-event.ts")).redeliverBody,
  answer: async () => (await import("../schemas/sandbox-event.ts")).deliveryAttempts,
  optional: { does: "deliver messages again", remedy: ONLY_SANDBOX },
});
