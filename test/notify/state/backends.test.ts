import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBackend } from "../../../src/notify/state/location.ts";
import { conforms, type Rig } from "./conformance.ts";
import { httpStateServer, type Manners } from "./http-state-server.ts";
import { S3_CREDENTIAL, type S3Manners, s3Server } from "./s3-server.ts";

const TARGET = { origin: "https://api.example.test", basePath: "/v1", project: "acme" };
/** Nothing is waited for longer than it must. */
const BRISK = { pollMs: 4, backoffMs: 1 };

function rigOf(
  state: string | undefined,
  env: Readonly<Record<string, string>>,
  folder: string,
  close: () => Promise<void>,
): Rig {
  const location = { state, env, cwd: folder, defaultFolder: folder, target: TARGET, ...BRISK };
  return { open: () => openBackend(location), close };
}

async function onDisk(state: string | undefined): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), "amp-state-"));
  return rigOf(state, {}, folder, () => rm(folder, { recursive: true }));
}

async function onServer(
  manners: Manners = {},
  env: (origin: string) => Readonly<Record<string, string>> = () => ({}),
  state?: string,
): Promise<Rig> {
  const { origin, close } = await httpStateServer(manners);
  return rigOf(state ?? `${origin}/state`, env(origin), "/nowhere", close);
}

/** As GitLab answers, and as its jobs find it. */
async function onGitlab(): Promise<Rig> {
  const statePath = "/api/v4/projects/group%2Fproject/terraform/state/routing";
  const manners = {
    statePath,
    lockPath: `${statePath}/lock`,
    lockMethod: "POST",
    unlockMethod: "DELETE",
    lockedStatus: 409,
    serials: true,
    echoes: true,
    credential: "gitlab-ci-token:job-token",
  } as const;
  const env = (origin: string) => ({
    CI_API_V4_URL: `${origin}/api/v4`,
    CI_PROJECT_ID: "group/project",
    CI_JOB_TOKEN: "job-token",
  });
  return { ...(await onServer(manners, env, "gitlab:routing")), tellsCommand: false };
}

async function onS3(manners: S3Manners = {}): Promise<Rig> {
  const { origin, close } = await s3Server(manners);
  const state = `s3://states/routing/my state+1(é).json?endpoint=${origin}`;
  return rigOf(state, S3_CREDENTIAL, "/nowhere", close);
}

conforms("a file", () => onDisk("deep/er/state.json"));
conforms("the default file", () => onDisk(undefined));

conforms("a server of Terraform's protocol", () => onServer());
conforms("one that answers 409", () => onServer({ lockedStatus: 409 }));
conforms("one that refuses a serial twice", () => onServer({ serials: true }));
conforms("one that grants a lock again", () => onServer({ lenient: true }));
conforms("one with a credential, and other ways to lock", () =>
  onServer(
    { credential: "ci:s3cret!", lockPath: "/locks/1", lockMethod: "PUT", unlockMethod: "DELETE" },
    (origin) => ({
      AMP_STATE_USERNAME: "ci",
      AMP_STATE_PASSWORD: "s3cret!",
      AMP_STATE_LOCK_ADDRESS: `${origin}/locks/1`,
      AMP_STATE_LOCK_METHOD: "put",
      AMP_STATE_UNLOCK_METHOD: "DELETE",
    }),
  ),
);

conforms("GitLab", onGitlab);

conforms("an S3-compatible storage", () => onS3());
conforms("one that names no tag", () => onS3({ untagged: true }));
