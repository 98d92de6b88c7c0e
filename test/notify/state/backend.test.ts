import { openBackend } from "../../../src/notify/state/open-backend.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type BackendFixture, testBackend } from "./backend-conformance.ts";
import { S3_CREDENTIAL, type StorageBehavior, startStorage } from "./remote/s3-storage.ts";
import { type ServerBehavior, startStateServer } from "./remote/state-server.ts";
import { TARGET } from "./state-fixture.ts";

/** Nothing is waited for longer than it must. */
const SHORT_WAITS = { pollMs: 4, backoffMs: 1 };

function fixtureOf(
  state: string | undefined,
  env: Readonly<Record<string, string>>,
  folder: string,
  close: () => Promise<void>,
): BackendFixture {
  const environment = { env, cwd: folder, stateFolder: folder };
  return { open: () => openBackend(state, TARGET, environment, SHORT_WAITS), close };
}

async function onDisk(state: string | undefined): Promise<BackendFixture> {
  return fixtureOf(state, {}, temporaryFolder(), async () => {});
}

async function onServer(
  manners: ServerBehavior = {},
  env: (origin: string) => Readonly<Record<string, string>> = () => ({}),
  state?: string,
): Promise<BackendFixture> {
  const { origin, close } = await startStateServer(manners);
  return fixtureOf(state ?? `${origin}/state`, env(origin), "/nowhere", close);
}

/** As GitLab answers, and as its jobs find it. */
async function onGitlab(): Promise<BackendFixture> {
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

async function onS3(manners: StorageBehavior = {}): Promise<BackendFixture> {
  const { origin, close } = await startStorage(manners);
  const state = `s3://states/routing/my state+1(é).json?endpoint=${origin}`;
  return fixtureOf(state, S3_CREDENTIAL, "/nowhere", close);
}

testBackend("a file", () => onDisk("deep/er/state.json"));
testBackend("the default file", () => onDisk(undefined));

testBackend("a server of Terraform's protocol", () => onServer());
testBackend("one that answers 409", () => onServer({ lockedStatus: 409 }));
testBackend("one that refuses a serial twice", () => onServer({ serials: true }));
testBackend("one that grants a lock again", () => onServer({ lenient: true }));
testBackend("one with a credential, and other ways to lock", () =>
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

testBackend("GitLab", onGitlab);

testBackend("an S3-compatible storage", () => onS3());
testBackend("Ceph", () => onS3({ ceph: true }));
testBackend("one that names no tag", () => onS3({ untagged: true }));
