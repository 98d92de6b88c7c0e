import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import { daysBefore } from "./epoch.ts";
import { PROJECT } from "./scopes.ts";

// Of the second project only: the main one is there to be set up.

const projectId = PROJECT.second;
const createTime = daysBefore(100);
const id = (list: Parameters<typeof shortId>[0], name: string) => shortId(list, projectId, name);

export const destinations: World["destinations"] = [
  {
    id: id("destinations", "staging-webhook"),
    projectId,
    name: "staging-webhook",
    type: "webhook",
    metadata: {
      url: "https://hooks.globex.example/amp",
      headers: { "X-Environment": "staging" },
    },
    createTime,
  },
  {
    id: id("destinations", "staging-archive"),
    projectId,
    name: "staging-archive",
    type: "s3",
    metadata: { bucket: "globex-staging-archive", region: "eu-west-1" },
    secrets: { awsKeyId: "sandbox-key-id", awsSecretKey: "sandbox-no-secret" },
    createTime,
  },
];

export const topics: World["topics"] = ["lifecycle", "trouble"].map((name) => ({
  id: id("topics", name),
  name,
  projectId,
  createTime,
}));

export const eventRoutes: World["eventRoutes"] = (
  [
    ["lifecycle", "installation.created"],
    ["lifecycle", "installation.deleted"],
    ["trouble", "connection.error"],
    ["trouble", "read.schedule.paused"],
  ] as const
).map(([topic, eventType]) => ({
  id: id("eventRoutes", `${topic}/${eventType}`),
  eventType,
  topicId: id("topics", topic),
  projectId,
  createTime,
}));

export const destinationRoutes: World["destinationRoutes"] = (
  [
    ["lifecycle", "staging-archive"],
    ["lifecycle", "staging-webhook"],
    ["trouble", "staging-webhook"],
  ] as const
).map(([topic, destination]) => ({
  id: id("destinationRoutes", `${topic}/${destination}`),
  topicId: id("topics", topic),
  destinationId: id("destinations", destination),
  projectId,
  createTime,
}));
