import { SETTINGS } from "../settings.ts";
import type { Item } from "./help.ts";

/**
 * The variables that are not settings of amp: those of state servers, CI systems and the machine.
 */
const OTHER_VARIABLES = {
  AMP_STATE_USERNAME: "user name for --state https://… and gitlab",
  AMP_STATE_PASSWORD: "password for --state https://… and gitlab",
  AMP_STATE_LOCK_ADDRESS: "URL of the lock (default: the URL of the state)",
  AMP_STATE_LOCK_METHOD: "HTTP method that locks (default LOCK)",
  AMP_STATE_UNLOCK_ADDRESS: "URL that unlocks (default: the URL of the lock)",
  AMP_STATE_UNLOCK_METHOD: "HTTP method that unlocks (default UNLOCK)",
  CI_API_V4_URL: "set by GitLab CI; for --state gitlab",
  CI_PROJECT_ID: "set by GitLab CI; for --state gitlab",
  CI_JOB_TOKEN: "set by GitLab CI; for --state gitlab without AMP_STATE_PASSWORD",
  CI_PROJECT_URL:
    "set by GitLab CI: the repository of a routing file that is not in a clone, for a state on a server",
  CI_PROJECT_DIR: "see CI_PROJECT_URL",
  CI_JOB_URL: "set by GitLab CI: the job, as locks and notify state history name it",
  CI_JOB_ID: "set by GitLab CI: the job, where CI_JOB_URL is not set",
  AWS_ACCESS_KEY_ID: "access key for --state s3://…",
  AWS_SECRET_ACCESS_KEY: "secret key for --state s3://…",
  AWS_SESSION_TOKEN: "token of temporary AWS credentials, for --state s3://…",
  AWS_REGION: "region of the bucket, unless the URL names it",
  AWS_DEFAULT_REGION: "region of the bucket if AWS_REGION is not set",
  USER: "name of the user, for notify state history; LOGNAME or USERNAME if it is not set",
  LOGNAME: "see USER",
  USERNAME: "see USER",
  GITHUB_ACTIONS:
    "set by GitHub Actions: amp asks the runner to mask secrets of files and profiles, and marks findings of notify check",
  GITHUB_SERVER_URL:
    "set by GitHub Actions: part of the job's URL in locks and notify state history",
  GITHUB_REPOSITORY: "see GITHUB_SERVER_URL; also as CI_PROJECT_URL",
  GITHUB_RUN_ID: "see GITHUB_SERVER_URL",
  GITHUB_WORKSPACE: "set by GitHub Actions: the folder that paths in reports are relative to",
  RUNNER_TOOL_CACHE: "set by GitHub Actions: folder where no state is saved",
  NODE_TLS_REJECT_UNAUTHORIZED: "0 is refused without --insecure-tls",
  XDG_CONFIG_HOME: "folder above the profiles (default ~/.config)",
  XDG_STATE_HOME: "folder above the saved states (default ~/.local/state)",
  XDG_CACHE_HOME:
    "folder above the compiled code of the npm package (default ~/.cache); no state is saved there",
  LOCALAPPDATA: "folder above the compiled code of the npm package on Windows",
  NODE_COMPILE_CACHE: "another folder for the compiled code of the npm package",
  NODE_DISABLE_COMPILE_CACHE: "1 saves no compiled code",
  HOME: "folder above ~/.config, ~/.local and ~/.cache",
  APPDATA: "folder above the profiles on Windows",
  AMP_PAGER: "pager for results longer than the screen; empty or cat for none (default: PAGER)",
  PAGER: "pager if AMP_PAGER is not set (default: less -FRX)",
  LESS: "options of less (default: FRX)",
  TERM: "dumb disables colour and the pager",
} as const satisfies Record<string, string>;

/** The environment variables that any part of amp reads, each with its meaning. */
export function environmentVariables(): Item[] {
  const settings = Object.values(SETTINGS).flatMap((setting) =>
    "env" in setting ? [[setting.env, setting.summary] as const] : [],
  );
  return [...settings, ...Object.entries(OTHER_VARIABLES)];
}
