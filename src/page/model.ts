/**
 * What the page shows, as its server answers it: `GET state` is a running sandbox or a case, and
 * only a sandbox answers the rest.
 */

/** A running sandbox, of which one project is shown. */
export interface PageState {
  readonly kind: "sandbox";
  /** The ID of its data, another one after a reset. */
  readonly world: string;
  /** The most attempts at one message. */
  readonly maxAttempts: number;
  readonly project: string;
  readonly projects: readonly string[];
  readonly clock: { readonly now: string; readonly timeScale: number };
  /** So that the commands which the page shows reach this sandbox. */
  readonly baseUrl: string;
  readonly routing: PageRouting;
  /** What can be triggered, with the fields of its sample. */
  readonly eventTypes: readonly {
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  readonly installations: readonly PageInstallation[];
  readonly faults: readonly {
    readonly destination?: string | undefined;
    readonly kind: string;
    readonly status?: number | undefined;
    readonly left: number;
  }[];
}

/** Events, topics and destinations, and the routes between them, as the platform has them. */
export interface PageRouting {
  /** Every event type that is known or routed. */
  readonly events: readonly string[];
  readonly topics: readonly { readonly id: string; readonly name: string }[];
  readonly eventRoutes: readonly { readonly eventType: string; readonly topicId: string }[];
  readonly destinationRoutes: readonly {
    readonly topicId: string;
    readonly destinationId: string;
  }[];
  readonly destinations: readonly {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly target?: string | undefined;
    readonly state: "active" | "disabled" | "paused";
    readonly failingSince?: string | undefined;
  }[];
}

/** An installation of the world. */
export interface PageInstallation {
  readonly id: string;
  readonly customer: string;
  readonly integration: string;
  readonly provider: string;
  readonly health: "healthy" | "failing" | "attention";
  readonly reason?: string | undefined;
  readonly since?: string | undefined;
}

/** What became of a message so far; `simulated`: its destination is not a webhook. */
export type MessageResult =
  | ("delivered" | "simulated" | "retrying")
  | ("failed" | "not sent" | "waiting");

/** The message of an event to one destination. */
export interface MessageRow {
  readonly id: string;
  /** Its ID; absent where data goes straight to a destination. */
  readonly topic?: string | undefined;
  readonly destination: string;
  readonly destinationName: string;
  readonly result: MessageResult;
  readonly attempts: number;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** Whether it was not sent because its destination is on another machine. */
  readonly needsAnyHost: boolean;
  readonly next?: string | undefined;
}

/** An event in the list. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  /** The customer or installation that it is about. */
  readonly about?: string | undefined;
  readonly messages: readonly MessageRow[];
}

/** An event with all that is known of it. */
export interface EventDetail extends EventRow {
  readonly data: unknown;
  readonly messages: readonly (MessageRow & { readonly tries: readonly PageAttempt[] })[];
}

interface SentText {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One attempt at a message. */
export interface PageAttempt {
  readonly number: number;
  readonly time: string;
  readonly outcome: string;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly error?: string | undefined;
  readonly request?: (SentText & { readonly url: string }) | undefined;
  readonly answer?: SentText | undefined;
  /** In the words of `webhooks verify`. */
  readonly signature?:
    | { readonly verdict: string; readonly detail?: string | undefined }
    | undefined;
}

/** A saved case, read-only. */
export interface CasePage {
  readonly kind: "case";
  readonly title: string;
  readonly aside: string;
  /** Who made it when, and with which version. */
  readonly origin: string;
  readonly headline: string;
  readonly tone: string;
  readonly verdict: readonly { readonly label: string; readonly texts: readonly string[] }[];
  readonly evidence: readonly string[];
  readonly operations: readonly {
    readonly id: string;
    readonly time: string;
    readonly what: string;
    readonly status: string;
    /** The lines of its log; none where it was not recorded. */
    readonly logs: readonly string[];
  }[];
  /** What was taken out, and where. */
  readonly redacted: readonly (readonly string[])[];
}
