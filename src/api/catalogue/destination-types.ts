import {
  AWS_SECRETS,
  amqp,
  type Field,
  https,
  json,
  need,
  option,
  pem,
  slackUrl,
  webhookUrl,
} from "./destination-fields.ts";

export type { Field } from "./destination-fields.ts";

/** What a destination of a type is made of. */
export interface DestinationType {
  /** As the end of a sentence: "an HTTPS endpoint of your own". */
  readonly summary: string;
  readonly metadata: readonly Field[];
  readonly secrets: readonly Field[];
  /** Groups of metadata fields of which one must be given. */
  readonly oneOf?: readonly (readonly string[])[];
}

/**
 * The types of the live platform; of the spec, webhook alone. The list grows: an unknown type is
 * passed on with whatever metadata it comes with.
 */
export const DESTINATION_TYPES = {
  webhook: {
    summary: "an HTTPS endpoint of your own",
    metadata: [
      need("url", "where notifications are posted", "https://hooks.example.com/amp", {
        check: webhookUrl,
      }),
      option("headers", "headers sent along", "X-Team=ops", { shape: "map" }),
    ],
    secrets: [],
  },
  slack: {
    summary: "a Slack channel",
    metadata: [
      need(
        "url",
        "incoming webhook URL of the channel; treat it as a password",
        "https://hooks.slack.com/services/T000/B000/XXXX",
        { check: slackUrl },
      ),
    ],
    secrets: [],
  },
  kinesis: {
    summary: "an Amazon Kinesis stream",
    metadata: [
      need("streamName", "name of the stream", "amp-events"),
      need("region", "AWS region", "eu-central-1"),
      option("partitionKeyTemplate", "template of the partition key", "amp"),
      option(
        "endpointUrl",
        "another endpoint than the region's own",
        "https://kinesis.example.com",
      ),
    ],
    secrets: AWS_SECRETS,
  },
  s3: {
    summary: "an Amazon S3 bucket",
    metadata: [
      need("bucket", "name of the bucket", "amp-events"),
      need("region", "AWS region", "eu-central-1"),
      option("keyTemplate", "template of the object key", "amp/events"),
      option("storageClass", "storage class of the objects", "STANDARD_IA"),
    ],
    secrets: AWS_SECRETS,
  },
  sqs: {
    summary: "an Amazon SQS queue",
    metadata: [
      need(
        "queueUrl",
        "URL of the queue",
        "https://sqs.eu-central-1.amazonaws.com/123456789012/amp-events",
      ),
      option("endpointUrl", "another endpoint than the region's own", "https://sqs.example.com"),
    ],
    secrets: AWS_SECRETS,
  },
  pubsub: {
    summary: "a Google Cloud Pub/Sub topic",
    metadata: [
      need("projectId", "Google Cloud project, not the project of amp", "acme-prod"),
      need("topicId", "Pub/Sub topic, not a topic of amp", "amp-events"),
    ],
    secrets: [
      need("credentials", "service account key, JSON as one string", "file:key.json", {
        check: json,
      }),
    ],
  },
  rabbitmq: {
    summary: "a RabbitMQ exchange",
    metadata: [
      need("serverUrl", "address of the server", "amqps://mq.example.com:5671", { check: amqp }),
      need("exchange", "name of the exchange", "amp-events"),
      option("tls", "use TLS", "true", { shape: "flag" }),
    ],
    secrets: [
      need("username", "user of the server", "amp"),
      need("password", "password of that user", "env:RABBITMQ_PASSWORD"),
    ],
  },
  azureservicebus: {
    summary: "an Azure Service Bus queue or topic",
    metadata: [need("name", "name of the queue or topic", "amp-events")],
    secrets: [
      need("connectionString", "connection string of the namespace", "env:SERVICEBUS_CONNECTION"),
    ],
  },
  clickhouse: {
    summary: "a ClickHouse table",
    metadata: [
      need("url", "address of the server", "https://ch.example.com:8443", { check: https }),
      need("username", "user of the database", "amp"),
      need("tableName", "table to insert into", "amp_events"),
      option("database", "database of the table", "default"),
    ],
    secrets: [need("password", "password of that user", "env:CLICKHOUSE_PASSWORD")],
  },
  snowflake: {
    summary: "a Snowflake table",
    metadata: [
      need("accountIdentifier", "organisation and account", "acme-prod"),
      need("userId", "user to log in as", "AMP"),
      need("dbName", "database", "EVENTS"),
      need("schemaName", "schema", "PUBLIC"),
      need("tableName", "table to insert into", "AMP_EVENTS"),
    ],
    secrets: [need("privateKey", "private key of that user, PEM", "file:key.pem", { check: pem })],
  },
  bigquery: {
    summary: "a Google BigQuery table",
    metadata: [
      need("projectId", "Google Cloud project, not the project of amp", "acme-prod"),
      need("datasetId", "dataset", "events"),
      need("tableId", "table to insert into", "amp"),
    ],
    secrets: [
      need("credentials", "service account key, JSON as one string", "file:key.json", {
        check: json,
      }),
    ],
  },
  redshift: {
    summary: "an Amazon Redshift table",
    metadata: [
      need("region", "AWS region", "eu-central-1"),
      need("dbName", "database", "events"),
      need("tableName", "table to insert into", "amp_events"),
      option("workgroupName", "workgroup, for Redshift Serverless", "amp"),
      option("clusterIdentifier", "cluster, for a provisioned one", "amp-cluster"),
      option("schemaName", "schema", "public"),
      option("dbUser", "user of the database", "amp"),
    ],
    secrets: [
      need("accessKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
      need("secretAccessKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
    ],
    oneOf: [["workgroupName", "clusterIdentifier"]],
  },
} as const satisfies Readonly<Record<string, DestinationType>>;

/** A destination type known today. */
export type KnownDestinationType = keyof typeof DESTINATION_TYPES;

/** In the order in which help lists them. */
export const DESTINATION_TYPE_NAMES = Object.keys(
  DESTINATION_TYPES,
) as readonly KnownDestinationType[];

/** What is known of a type; `undefined` for one that this version does not know. */
export function destinationType(name: string): DestinationType | undefined {
  return Object.hasOwn(DESTINATION_TYPES, name)
    ? DESTINATION_TYPES[name as KnownDestinationType]
    : undefined;
}
