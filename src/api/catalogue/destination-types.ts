import {
  AWS_SECRETS,
  brokerUrlProblem,
  type DestinationField,
  httpsProblem,
  keyFileProblem,
  optional,
  privateKeyProblem,
  required,
  slackUrlProblem,
  webhookUrlProblem,
} from "./destination-fields.ts";

export type { DestinationField } from "./destination-fields.ts";

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
      required("url", "URL to post notifications to", "https://hooks.example.com/amp", {
        check: webhookUrlProblem,
      }),
      optional("headers", "headers to add to each request", "X-Team=ops", { shape: "map" }),
    ],
    secrets: [],
  },
  slack: {
    summary: "a Slack channel",
    group: "Chat",
    metadata: [
      required(
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
      required("streamName", "name of the stream", "amp-events"),
      required("region", "AWS region", "eu-central-1"),
      optional("partitionKeyTemplate", "template of the partition key", "amp"),
      optional(
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
      required("bucket", "name of the bucket", "amp-events"),
      required("region", "AWS region", "eu-central-1"),
      optional("keyTemplate", "template of the object key", "amp/events"),
      optional("storageClass", "storage class of the objects", "STANDARD_IA"),
    ],
    secrets: AWS_SECRETS,
  },
  sqs: {
    summary: "an Amazon SQS queue",
    group: QUEUES,
    metadata: [
      required(
        "queueUrl",
        "URL of the queue",
        "https://sqs.eu-central-1.amazonaws.com/123456789012/amp-events",
      ),
      optional(
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
      required("projectId", "Google Cloud project, not the project of amp", "acme-prod"),
      required("topicId", "Pub/Sub topic, not a topic of amp", "amp-events"),
    ],
    secrets: [
      required("credentials", "service account key (JSON)", "file:key.json", {
        check: keyFileProblem,
      }),
    ],
  },
  rabbitmq: {
    summary: "a RabbitMQ exchange",
    group: QUEUES,
    metadata: [
      required("serverUrl", "URL of the server", "amqps://mq.example.com:5671", {
        check: brokerUrlProblem,
      }),
      required("exchange", "name of the exchange", "amp-events"),
      optional("tls", "use TLS", "true", { shape: "flag" }),
    ],
    secrets: [
      required("username", "user of the server", "amp"),
      required("password", "server password", "env:RABBITMQ_PASSWORD"),
    ],
  },
  azureservicebus: {
    summary: "an Azure Service Bus queue or topic",
    group: QUEUES,
    metadata: [required("name", "name of the queue or topic", "amp-events")],
    secrets: [
      required(
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
      required("url", "URL of the server", "https://ch.example.com:8443", {
        check: httpsProblem,
      }),
      required("username", "user of the database", "amp"),
      required("tableName", "table to insert into", "amp_events"),
      optional("database", "database of the table", "default"),
    ],
    secrets: [required("password", "database password", "env:CLICKHOUSE_PASSWORD")],
  },
  snowflake: {
    summary: "a Snowflake table",
    group: STORES,
    metadata: [
      required(
        "accountIdentifier",
        "account identifier: organisation and account name",
        "acme-prod",
      ),
      required("userId", "user to log in as", "AMP"),
      required("dbName", "database", "EVENTS"),
      required("schemaName", "schema", "PUBLIC"),
      required("tableName", "table to insert into", "AMP_EVENTS"),
    ],
    secrets: [
      required("privateKey", "private key of the user (PEM)", "file:key.pem", {
        check: privateKeyProblem,
      }),
    ],
  },
  bigquery: {
    summary: "a Google BigQuery table",
    group: STORES,
    metadata: [
      required("projectId", "Google Cloud project, not the project of amp", "acme-prod"),
      required("datasetId", "dataset", "events"),
      required("tableId", "table to insert into", "amp"),
    ],
    secrets: [
      required("credentials", "service account key (JSON)", "file:key.json", {
        check: keyFileProblem,
      }),
    ],
  },
  redshift: {
    summary: "an Amazon Redshift table",
    group: STORES,
    metadata: [
      required("region", "AWS region", "eu-central-1"),
      required("dbName", "database", "events"),
      required("tableName", "table to insert into", "amp_events"),
      optional("workgroupName", "workgroup, for Redshift Serverless", "amp"),
      optional("clusterIdentifier", "cluster, for provisioned Redshift", "amp-cluster"),
      optional("schemaName", "schema", "public"),
      optional("dbUser", "user of the database", "amp"),
    ],
    secrets: [
      required("accessKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
      required("secretAccessKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
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
