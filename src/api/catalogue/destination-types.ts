import { isLoopback } from "../../runtime/loopback.ts";

/** One value of a destination's metadata or secrets. */
export interface DestinationField {
  /** The service's name of the field. */
  readonly name: string;
  readonly required: boolean;
  /** A short description of the content. */
  readonly hint: string;
  /** A valid value; for a secret, a reference as a routing file has it. */
  readonly example: string;
  /** The shape: `map` for names with strings, `flag` for true or false; absent: a string. */
  readonly shape?: "map" | "flag";
  /** Whether the value works like a password: it is typed hidden. */
  readonly isCredential?: true;
  /** The problem of a value, as text after its name: `must begin with https://`, if any. */
  readonly check?: (value: string) => string | undefined;
}

type FieldRules = Pick<DestinationField, "shape" | "check" | "isCredential">;

const field =
  (isRequired: boolean) =>
  (name: string, hint: string, example: string, more: FieldRules = {}): DestinationField => ({
    name,
    required: isRequired,
    hint,
    example,
    ...more,
  });

const requiredField = field(true);
const optionalField = field(false);

const AWS_SECRETS: readonly DestinationField[] = [
  requiredField("awsKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
  requiredField("awsSecretKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
  optionalField("awsSessionToken", "token of a temporary session", "env:AWS_SESSION_TOKEN"),
];

/** The problem of a URL without TLS. */
export const NEEDS_TLS = "must begin with https://";

function httpsProblem(value: string): string | undefined {
  if (!/^https:\/\//iu.test(value)) return NEEDS_TLS;
  return URL.canParse(value) ? undefined : "must be a valid URL";
}

/** The problem of a URL that the platform cannot post to: it needs TLS, except on this machine. */
function webhookUrlProblem(value: string): string | undefined {
  const { hostname } = (/^http:\/\//iu.test(value) && URL.parse(value)) || {};
  return hostname !== undefined && isLoopback(hostname) ? undefined : httpsProblem(value);
}

function slackUrlProblem(value: string): string | undefined {
  const wrong = httpsProblem(value);
  if (wrong) return wrong;
  // A host that only begins with this name would receive the channel's notifications.
  return new URL(value).hostname === "hooks.slack.com"
    ? undefined
    : "must begin with https://hooks.slack.com/";
}

function brokerUrlProblem(value: string): string | undefined {
  return /^amqps?:\/\/\S/iu.test(value) ? undefined : "must begin with amqp:// or amqps://";
}

function privateKeyProblem(value: string): string | undefined {
  return value.includes("-----BEGIN ") ? undefined : "must be a private key in PEM format";
}

function keyFileProblem(value: string): string | undefined {
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return "must be JSON: the downloaded key file";
  }
}

/** The fields of the destinations of one type. */
export interface DestinationType {
  /** The end of a sentence: "your own HTTPS endpoint". */
  readonly summary: string;
  /** The heading in a choice of types; absent for the webhook, which is a choice of its own. */
  readonly group?: string;
  readonly metadata: readonly DestinationField[];
  readonly secrets: readonly DestinationField[];
  /** Groups of metadata fields of which one must be given. */
  readonly oneOf?: readonly (readonly string[])[];
}

const QUEUES = "Queues and streams";
const STORES = "Storage and databases";

/**
 * The types of the live platform; the spec has only webhook. The list grows: an unknown type is
 * sent with any metadata.
 */
export const DESTINATION_TYPES = {
  webhook: {
    summary: "your own HTTPS endpoint",
    metadata: [
      requiredField("url", "URL to post notifications to", "https://hooks.example.com/amp", {
        check: webhookUrlProblem,
      }),
      optionalField("headers", "headers to add to each request", "X-Team=ops", { shape: "map" }),
    ],
    secrets: [],
  },
  slack: {
    summary: "a Slack channel",
    group: "Chat",
    metadata: [
      requiredField(
        "url",
        "incoming webhook URL of the channel; treat it as a password",
        "https://hooks.slack.com/services/T000/B000/XXXX",
        { check: slackUrlProblem, isCredential: true },
      ),
    ],
    secrets: [],
  },
  kinesis: {
    summary: "an Amazon Kinesis stream",
    group: QUEUES,
    metadata: [
      requiredField("streamName", "name of the stream", "amp-events"),
      requiredField("region", "AWS region", "eu-central-1"),
      optionalField("partitionKeyTemplate", "template of the partition key", "amp"),
      optionalField(
        "endpointUrl",
        "endpoint to use instead of the region's default",
        "https://kinesis.example.com",
      ),
    ],
    secrets: AWS_SECRETS,
  },
  s3: {
    summary: "an Amazon S3 bucket",
    group: STORES,
    metadata: [
      requiredField("bucket", "name of the bucket", "amp-events"),
      requiredField("region", "AWS region", "eu-central-1"),
      optionalField("keyTemplate", "template of the object key", "amp/events"),
      optionalField("storageClass", "storage class of the objects", "STANDARD_IA"),
    ],
    secrets: AWS_SECRETS,
  },
  sqs: {
    summary: "an Amazon SQS queue",
    group: QUEUES,
    metadata: [
      requiredField(
        "queueUrl",
        "URL of the queue",
        "https://sqs.eu-central-1.amazonaws.com/123456789012/amp-events",
      ),
      optionalField(
        "endpointUrl",
        "endpoint to use instead of the region's default",
        "https://sqs.example.com",
      ),
    ],
    secrets: AWS_SECRETS,
  },
  pubsub: {
    summary: "a Google Cloud Pub/Sub topic",
    group: QUEUES,
    metadata: [
      requiredField("projectId", "Google Cloud project, not the project of amp", "acme-prod"),
      requiredField("topicId", "Pub/Sub topic, not a topic of amp", "amp-events"),
    ],
    secrets: [
      requiredField("credentials", "service account key (JSON)", "file:key.json", {
        check: keyFileProblem,
      }),
    ],
  },
  rabbitmq: {
    summary: "a RabbitMQ exchange",
    group: QUEUES,
    metadata: [
      requiredField("serverUrl", "URL of the server", "amqps://mq.example.com:5671", {
        check: brokerUrlProblem,
      }),
      requiredField("exchange", "name of the exchange", "amp-events"),
      optionalField("tls", "use TLS", "true", { shape: "flag" }),
    ],
    secrets: [
      requiredField("username", "user of the server", "amp"),
      requiredField("password", "server password", "env:RABBITMQ_PASSWORD"),
    ],
  },
  azureservicebus: {
    summary: "an Azure Service Bus queue or topic",
    group: QUEUES,
    metadata: [requiredField("name", "name of the queue or topic", "amp-events")],
    secrets: [
      requiredField(
        "connectionString",
        "connection string of the namespace",
        "env:SERVICEBUS_CONNECTION",
      ),
    ],
  },
  clickhouse: {
    summary: "a ClickHouse table",
    group: STORES,
    metadata: [
      requiredField("url", "URL of the server", "https://ch.example.com:8443", {
        check: httpsProblem,
      }),
      requiredField("username", "user of the database", "amp"),
      requiredField("tableName", "table to insert into", "amp_events"),
      optionalField("database", "database of the table", "default"),
    ],
    secrets: [requiredField("password", "database password", "env:CLICKHOUSE_PASSWORD")],
  },
  snowflake: {
    summary: "a Snowflake table",
    group: STORES,
    metadata: [
      requiredField(
        "accountIdentifier",
        "account identifier: organisation and account name",
        "acme-prod",
      ),
      requiredField("userId", "user to log in as", "AMP"),
      requiredField("dbName", "database", "EVENTS"),
      requiredField("schemaName", "schema", "PUBLIC"),
      requiredField("tableName", "table to insert into", "AMP_EVENTS"),
    ],
    secrets: [
      requiredField("privateKey", "private key of the user (PEM)", "file:key.pem", {
        check: privateKeyProblem,
      }),
    ],
  },
  bigquery: {
    summary: "a Google BigQuery table",
    group: STORES,
    metadata: [
      requiredField("projectId", "Google Cloud project, not the project of amp", "acme-prod"),
      requiredField("datasetId", "dataset", "events"),
      requiredField("tableId", "table to insert into", "amp"),
    ],
    secrets: [
      requiredField("credentials", "service account key (JSON)", "file:key.json", {
        check: keyFileProblem,
      }),
    ],
  },
  redshift: {
    summary: "an Amazon Redshift table",
    group: STORES,
    metadata: [
      requiredField("region", "AWS region", "eu-central-1"),
      requiredField("dbName", "database", "events"),
      requiredField("tableName", "table to insert into", "amp_events"),
      optionalField("workgroupName", "workgroup, for Redshift Serverless", "amp"),
      optionalField("clusterIdentifier", "cluster, for provisioned Redshift", "amp-cluster"),
      optionalField("schemaName", "schema", "public"),
      optionalField("dbUser", "user of the database", "amp"),
    ],
    secrets: [
      requiredField("accessKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
      requiredField("secretAccessKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
    ],
    oneOf: [["workgroupName", "clusterIdentifier"]],
  },
} as const satisfies Readonly<Record<string, DestinationType>>;

const BATCHES = ["batchSize", "maxWaitSecs"];

/** The metadata that an update of the live platform takes, and that its create does not list. */
export const UPDATE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  clickhouse: BATCHES,
  snowflake: BATCHES,
  bigquery: BATCHES,
  redshift: BATCHES,
};

/** A destination type known today. */
export type KnownDestinationType = keyof typeof DESTINATION_TYPES;

/** The names of the types, in the order in which help lists them. */
export const DESTINATION_TYPE_NAMES = Object.keys(
  DESTINATION_TYPES,
) as readonly KnownDestinationType[];

/** The entry of a type; `undefined` for one that this version does not know. */
export function destinationType(name: string): DestinationType | undefined {
  return Object.hasOwn(DESTINATION_TYPES, name)
    ? DESTINATION_TYPES[name as KnownDestinationType]
    : undefined;
}

/** The metadata of a type in words; alternatives, of which one is required, as `a|b`. */
export function metadataWords(
  name: KnownDestinationType,
  word: (field: DestinationField) => string,
): string[] {
  const { metadata, oneOf = [] }: DestinationType = DESTINATION_TYPES[name];
  const either = oneOf.flat();
  return [
    ...metadata.filter((field) => !either.includes(field.name)).map(word),
    ...oneOf.map((names) => names.join("|")),
  ];
}
