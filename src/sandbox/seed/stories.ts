interface Cause {
  /** The result of an operation, after the object in brackets. */
  readonly result: string;
  readonly error: string;
  /** The further facts of the log line; they quote a customer's data, as real ones do. */
  readonly details: Readonly<Record<string, string>>;
}

/**
 * The causes of failed operations, as their result and log say them. The secrets in them are not
 * valid anywhere.
 */
export const CAUSES = {
  credentials: {
    result: "The provider refused the credentials",
    error: "401 Unauthorized: invalid_grant: the refresh token was revoked",
    details: {
      status: "401",
      header: "Authorization: Bearer eyJzYW5kYm94IjoxfQ.eyJub3QiOiJ2YWxpZCJ9.c2FuZGJveA",
    },
  },
  field: {
    result: "The provider refused a field",
    error: "No such column 'deal_stage_x'",
    details: { status: "400", field: "deal_stage_x", user: "jane.roe@customer.example" },
  },
  rateLimit: {
    result: "The provider limits requests",
    error: "429 Too Many Requests: retry after 600 s",
    details: { status: "429", retryAfter: "600" },
  },
  providerDown: {
    result: "The provider did not answer",
    error: "503 Service Unavailable",
    details: { status: "503", url: "https://api.example/v2/query?api_key=sandbox-no-key&page=1" },
  },
  scope: {
    result: "The provider app lacks a scope",
    error: "403 Forbidden: the app has not been granted the scope crm.objects.marketing.read",
    details: { status: "403", scope: "crm.objects.marketing.read" },
  },
  destination: {
    result: "The destination does not exist",
    error: 'No destination is named "acme-legacy"',
    details: { destination: "acme-legacy" },
  },
  timeout: {
    result: "The provider did not answer in time",
    error: "The request to the provider timed out after 30 s",
    details: { timeout: "30s" },
  },
  unreadable: {
    result: "The answer of the provider was not understood",
    error: "Unexpected end of JSON input",
    details: { page: "3" },
  },
} as const satisfies Readonly<Record<string, Cause>>;

/** The operations of an installation until the present of its world. */
export interface Story {
  /** The hours before the present since when operations fail; 0: only the newest one does. */
  readonly failsFor?: number;
  readonly cause?: keyof typeof CAUSES;
  /** The hours before the present when they stopped failing. */
  readonly untilAgo?: number;
  /** The hours before the present of the last operation. */
  readonly stoppedAgo?: number;
  /** How the newest operation is still running; `backfill` reads all records of an object. */
  readonly open?: "backfill" | "retrying" | "stuck";
  readonly isUnused?: true;
}

/**
 * The stories by name. Each verdict that evidence can lead to has one; a world says which
 * installation has which.
 */
export const STORIES = {
  fine: {},
  unused: { isUnused: true },
  hiccup: { failsFor: 0, cause: "timeout" },
  running: { open: "backfill" },
  stuck: { open: "stuck", stoppedAgo: 26 },
  credentials: { failsFor: 48, cause: "credentials" },
  field: { failsFor: 74.9, cause: "field" },
  rateLimited: { failsFor: 5, cause: "rateLimit" },
  retrying: { failsFor: 1, cause: "rateLimit", open: "retrying" },
  recovering: { failsFor: 30, untilAgo: 1.5, cause: "providerDown" },
  providerDown: { failsFor: 3, cause: "providerDown" },
  scope: { failsFor: 20, cause: "scope" },
  destinationMissing: { failsFor: 30, cause: "destination" },
  timedOut: { failsFor: 75.01, cause: "timeout" },
  unreadable: { failsFor: 74.9, cause: "unreadable" },
  unreadableOnce: { failsFor: 0, cause: "unreadable" },
  silent: { stoppedAgo: 80 },
  paused: { stoppedAgo: 36 },
} as const satisfies Readonly<Record<string, Story>>;

export type StoryName = keyof typeof STORIES;

/** The names of the stories, for the form of a world. */
export const STORY_NAMES = Object.keys(STORIES) as [StoryName, ...StoryName[]];
