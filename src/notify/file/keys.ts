/** The one version of the format that there is. */
export const FILE_VERSION = 1;

/** `$schema` is for editors. */
export const FILE_KEYS = ["version", "project", "destinations", "topics", "$schema"] as const;

/** Of a destination: `id` of one that exists, the others of a new one. */
export const DESTINATION_KEYS = ["id", "type", "metadata", "secrets"] as const;

/** Of a topic: `id` of one that exists. */
export const TOPIC_KEYS = ["id", "events", "destinations"] as const;
