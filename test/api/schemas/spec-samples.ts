import type { ZodMiniType } from "zod/mini";
import { installation } from "../../../src/api/schemas/installation.ts";
import {
  destination,
  destinationRoute,
  eventRoute,
  topic,
} from "../../../src/api/schemas/notification.ts";
import { integration, invite, project, providerApp } from "../../../src/api/schemas/project.ts";
import { provider } from "../../../src/api/schemas/provider.ts";

const time = "2026-08-01T12:00:00Z";

/** Every field that spec parts 2 and 7 and the live platform name, record by record. */
export const SAMPLES = {
  providerApp: {
    schema: providerApp,
    required: ["id", "projectId", "provider", "clientId", "createTime"],
    value: {
      id: "pa1",
      projectId: "p1",
      externalRef: "ext",
      provider: "hubspot",
      clientId: "c1",
      scopes: ["contacts"],
      metadata: {
        authQueryParams: { optional_scope: ["a", "b"] },
        providerParams: { gcpProjectId: "g" },
      },
      createTime: time,
      updateTime: time,
    },
  },
  provider: {
    schema: provider,
    required: ["name", "authType", "baseURL", "defaultModule", "support"],
    value: {
      name: "hubspot",
      authType: "oauth2",
      baseURL: "https://{{.workspace}}.example.com",
      defaultModule: "",
      support: {
        bulkWrite: { insert: false, update: false, upsert: false, delete: false },
        proxy: true,
        read: true,
        subscribe: true,
        write: true,
        delete: false,
        search: { operators: { equals: true } },
        subscribeSupport: { create: true, update: true, delete: false, passThrough: false },
        batchWrite: {
          create: { supported: true, defaultRecordLimit: 100, objectRecordLimits: { deals: 50 } },
          delete: { supported: false },
        },
      },
      oauth2Opts: {
        tokenURL: "https://t",
        authURL: "https://a",
        explicitScopesRequired: true,
        explicitWorkspaceRequired: false,
        tokenMetadataFields: {
          workspaceRefField: "w",
          consumerRefField: "c",
          scopesField: "s",
          otherFields: [{ name: "n", displayName: "N", path: "p", capture: "(?<result>.)" }],
        },
        audience: ["x"],
        scopeMappings: { a: "https://{{.workspace}}/a" },
        docsURL: "https://d",
        authURLParams: { access_type: "offline" },
        accessTokenOpts: {
          attachmentType: "accessTokenHeaderAttachment",
          header: { name: "X-Token", valuePrefix: "T " },
          docsURL: "https://d",
        },
      },
      apiKeyOpts: { query: { name: "k" }, header: { name: "K", valuePrefix: "" }, docsURL: "" },
      basicOpts: {
        apiKeyAsBasic: true,
        apiKeyAsBasicOpts: { fieldUsed: "username", keyFormat: "%s" },
        docsURL: "",
      },
      customOpts: {
        headers: [{ name: "h", valueTemplate: "{{ .k }}" }],
        queryParams: [{ name: "q", valueTemplate: "{{ .k }}" }],
        inputs: [{ name: "i", displayName: "I", prompt: "?", docsURL: "" }],
      },
      authHealthCheck: { url: "https://h", method: "GET", successStatusCodes: [200, 204] },
      displayName: "HubSpot",
      postAuthInfoNeeded: true,
      media: { regular: { iconURL: "i", logoURL: "l" }, darkMode: {} },
      labels: { experimental: "true" },
      subscribeRequirements: { registration: true, maintenance: true, postProcess: true },
      modules: { crm: { anything: [1] } },
      metadata: {
        input: [
          { name: "workspace", displayName: "W", prompt: "?", defaultValue: "", docsURL: "" },
        ],
        postAuthentication: [{ name: "cloudId", moduleDependencies: { crm: {} } }],
      },
      providerAppMetadata: {
        authQueryParams: [{ name: "optional_scope" }],
        providerParams: [{ name: "gcpProjectId", moduleDependencies: {} }],
      },
    },
  },
  installation: {
    schema: installation,
    required: [
      "id",
      "projectId",
      "integrationId",
      "healthStatus",
      "connection",
      "createTime",
      "createdBy",
      "config",
    ],
    value: {
      id: "in1",
      projectId: "p1",
      integrationId: "113e9685-9a51-42cc-8662-9d9725b17f14",
      healthStatus: "healthy",
      connection: {
        id: "co1",
        projectId: "p1",
        provider: "hubspot",
        group: { groupRef: "acme", groupName: "Acme", projectId: "p1", createTime: time },
        consumer: { consumerRef: "jo", consumerName: "Jo", projectId: "p1", createTime: time },
        createTime: time,
        authScheme: "oauth2/authorizationCode",
        status: "working",
      },
      createTime: time,
      createdBy: "consumer:jo",
      config: {
        id: "cf1",
        revisionId: "r1",
        createTime: time,
        createdBy: "consumer:jo",
        content: {
          provider: "hubspot",
          read: {
            objects: {
              contacts: {
                objectName: "contacts",
                schedule: "*/10 * * * *",
                destination: "ops-webhook",
                selectedFields: { email: true, phone: false },
              },
            },
          },
        },
      },
      group: { groupRef: "acme" },
      lastOperationStatus: "in_progress",
      updateTime: time,
    },
  },
  destination: {
    schema: destination,
    required: ["id"],
    value: {
      id: "d1",
      name: "ops",
      type: "webhook",
      metadata: { url: "https://h" },
      createTime: time,
      updateTime: time,
    },
  },
  topic: {
    schema: topic,
    required: ["id"],
    value: { id: "t1", name: "ops", projectId: "p1", createTime: time, updateTime: time },
  },
  eventRoute: {
    schema: eventRoute,
    required: ["id"],
    value: {
      id: "r1",
      eventType: "connection.error",
      topicId: "t1",
      projectId: "p1",
      createTime: time,
      updateTime: time,
    },
  },
  destinationRoute: {
    schema: destinationRoute,
    required: ["id"],
    value: { id: "r2", topicId: "t1", destinationId: "d1", projectId: "p1", createTime: time },
  },
  invite: {
    schema: invite,
    required: ["id"],
    value: {
      id: "iv1",
      invitedEmail: "jo@example.com",
      parentType: "org",
      parentId: "o1",
      status: "pending",
      createTime: time,
    },
  },
  project: { schema: project, required: ["id"], value: { id: "p1", name: "acme-prod" } },
  integration: {
    schema: integration,
    required: ["id"],
    value: { id: "i1", name: "sync", projectId: "p1", createTime: time },
  },
} satisfies Record<string, { schema: ZodMiniType; required: string[]; value: object }>;
