import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type RunInput, run } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const FILES = {
  "list.json": "[1]",
  "bytes.json": Buffer.from([0x5b, 0xff]),
  "odd-body.json": '{"headers":{"a":"b"},"bodyBase64":"/w=="}',
  "taken.json.events": "",
  "state.json": "{",
  "event.json": '{"notificationType":"connection.error","data":{}}',
};

/** Command lines, the name of the error that each is, and what is around it. */
const LINES: readonly (readonly [line: string, name: string, world?: RunInput])[] = [
  ["api /a b", "path_not_last"],
  ["api POST", "path_missing"],
  ["api GET /a --method POST", "method_twice"],
  ["api /{nosuch}", "placeholder_unknown"],
  ["api /a --method 1", "method_invalid"],
  ["api https://other.example/v1/a", "url_of_another_origin"],
  ["api ../../a", "path_not_below"],
  ["api GET /a --input -", "method_without_body", { stdin: "{}" }],
  ["api /{project}", "placeholder_dots", { env: { AMP_PROJECT: ".." } }],
  ["api /a --field :=1", "field_without_name"],
  ["auth default --unset", "unset_without_setting"],
  ["auth switch ../a", "profile_not_found"],
  ["auth logout", "profile_not_chosen"],
  ["auth rename sandbox other", "profile_built_in"],
  ["installations diff a", "comparison_missing"],
  ["listen --public-url http://a.example", "public_url_not_https"],
  ["notify check --allow x", "allow_invalid"],
  ["notify destinations update d", "update_empty"],
  ["notify routes delete", "route_missing"],
  ["notify state resolve topic/a", "resolve_choice"],
  ["trigger --to http://localhost:1 connection.error", "signing_secret_missing"],
  ["trigger --from list.json", "payload_not_object"],
  ["trigger --from event.json lifecycle.x", "event_of_file"],
  ["trigger connection.error --to ftp://a --secret env:A", "receiver_url_invalid"],
  ["trigger --from odd-body.json --to http://localhost:1 --secret env:A", "capture_body_not_utf8"],
  ["trust --list --revoke", "trust_list_alone"],
  ["trust", "project_file_not_found"],
  ["webhooks test http://localhost:1 --seed xyz", "seed_invalid"],
  ["webhooks test http://me:pw@localhost:1 --secret env:A", "receiver_url_user_info"],
  ["webhooks test http://localhost:1 --secret abc", "signing_secret_form"],
  ["webhooks test http://localhost:1 --secret env:NOSUCH", "signing_secret_unset"],
  ["webhooks verify a --headers b --body c --secret env:A", "request_twice"],
  ["webhooks verify --headers b --secret env:A", "request_halved"],
  ["webhooks verify bytes.json --secret env:A", "not_utf8"],
  ["webhooks test http://localhost:1 --from odd-body.json --secret env:A", "message_file_foreign"],
  ["apps list --api-key-file -", "stdin_is_terminal", { tty: { in: true } }],
  ["apps list", "config_folder_empty", { env: { AMP_CONFIG_DIR: "" } }],
  ["apps list", "base_url_user_info", { env: { AMP_BASE_URL: "https://me@a.example" } }],
  ["apps list", "base_url_query", { env: { AMP_BASE_URL: "https://a.example/v1?b" } }],
  ["apps list", "base_url_not_encrypted", { env: { AMP_BASE_URL: "http://a.example/v1" } }],
  ["apps list", "base_url_not_full", { env: { AMP_BASE_URL: "a.example" } }],
  ["apps list", "setting_empty", { env: { AMP_BASE_URL: " " } }],
  ["apps list", "retries_invalid", { env: { AMP_RETRIES: "11" } }],
  ["apps list", "secret_control_characters", { env: { AMP_API_KEY: "a\nb" } }],
  ["apps list", "secret_characters", { env: { AMP_API_KEY: "a…" } }],
  ["apps list", "secret_of_another_tool", { env: { AMP_API_KEY: "sgamp_1" } }],
  ["apps list", "auth_invalid", { env: { AMP_AUTH: "x" } }],
  ["apps list", "certificates_unchecked", { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } }],
  ["apps list", "proxy_not_encoded", { env: { HTTPS_PROXY: "http://a:%@b.example" } }],
  ["sandbox start --providers list.json", "document_invalid"],
  ["sandbox start --state state.json", "document_not_json"],
  ["sandbox start --port 0 --state taken.json", "sandbox_file_unusable"],
];

const cases = LINES.map(([line, name, world = {}]) => ({ line, name, world }));

it.each(cases)("amp $line is the error $name", async ({ line, name, world }) => {
  const cwd = temporaryFolder();
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(cwd, file), text);
  const env = { A: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", ...world.env };
  const outcome = await run([...line.split(" "), "--json"], { ...world, cwd, env });
  expect(outcome.error()).toMatchObject({ name });
  expect(outcome.requests).toEqual([]);
});
