import { type ErrorFacts, errorTable, UNSENT } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";

/** The errors of requests and their answers. What a service said keeps its words. */
export const apiErrors = errorTable({
  usage: {
    input_mistaken: (mistakes: readonly string[], allow: readonly string[], facts: ErrorFacts) => {
      const way = `pass --allow ${allow.join(",")}`;
      const said =
        mistakes.length === 1
          ? { text: `${mistakes[0]} (or ${way})` }
          : {
              text: `${mistakes.length} mistakes`,
              detail: mistakes.join("\n"),
              remedy: `Correct them, or ${way}.`,
            };
      return { ...said, done: UNSENT, ...facts };
    },
    url_invalid: (typed: string) => `${JSON.stringify(typed)} is not a valid URL`,
    url_of_another_origin: (origin: string) => ({
      text: `The URL does not belong to ${origin}`,
      done: UNSENT,
    }),
    path_not_below: (path: string) => ({
      text: `${JSON.stringify(path)} is not a path below the base URL`,
      done: UNSENT,
    }),
    parameter_invalid: (
      label: string,
      place: string,
      name: string,
      value: string,
      detail: string,
    ) => ({
      text: `The ${label} ${detail}`,
      issues: [{ in: place, name, value, detail }],
      done: UNSENT,
    }),
    request_invalid: (
      does: string,
      issues: readonly { readonly text: string; readonly path: string; readonly problem: string }[],
    ) => ({
      text: `Could not ${does}: ${issues.map(({ text }) => text).join("; ")}`,
      issues: issues.map(({ path, problem }) => ({ in: "body", name: path, detail: problem })),
      done: UNSENT,
    }),
    proxy_scheme: (variable: string, scheme: string, remedy: string) => ({
      text: `${variable} is set to a ${scheme} proxy; only HTTP proxies are supported`,
      remedy,
      done: UNSENT,
    }),
    proxy_invalid: (variable: string, detail: string, remedy: string) => ({
      text: `${variable} is not a valid proxy URL`,
      detail,
      remedy,
      done: UNSENT,
    }),
    proxy_not_encoded: (variable: string) => ({
      text: `${variable} contains a user name or password that is not percent-encoded`,
      remedy: "Write % as %25, @ as %40, : as %3A and / as %2F in them.",
      done: UNSENT,
    }),
    certificates_unchecked: () => ({
      text: "NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off",
      detail: "Anyone on the network path could read the credential.",
      remedy:
        "Unset it. Set NODE_EXTRA_CA_CERTS=FILE to trust your own certificate authority, or pass --insecure-tls to skip the checks.",
      done: UNSENT,
    }),
    placeholder_unknown: (text: string, known: string) =>
      `Unknown placeholder {${text}}; choose one of: ${known}`,
    placeholder_unset: (name: string) => `{${name}} has no value; pass --${name}`,
    placeholder_dots: (name: string, value: string) => `{${name}} cannot be ${value}`,
    method_invalid: (method: string) => `${JSON.stringify(method)} is not a valid HTTP method`,
    method_without_body: (method: string) => `A ${method} request cannot have a body`,
    field_twice: (name: string) => ({
      text: `--field ${name} was passed twice`,
      remedy: `For a list, repeat --field '${name}[]=value'.`,
      done: UNSENT,
    }),
    field_without_name: (key: string, text: string) => `--field ${key}=${text} has no name`,
    field_not_json: (name: string, text: string) => ({
      text: `--field ${name}: ${JSON.stringify(text)} is not JSON`,
      remedy: `For text, write ${name}=… without the colon.`,
      done: UNSENT,
    }),
  },
  "not-found": {
    service_found_nothing: (text: string, facts: ErrorFacts) => ({ text, ...facts }),
    answer_not_recorded: (does: string, facts: ErrorFacts) => ({
      text: `Could not ${does}: not in this case`,
      ...facts,
    }),
    /** The service lacks an operation that the specification does not require; see `Endpoint.optional`. */
    operation_missing: (
      { does, remedy }: { readonly does: string; readonly remedy?: string },
      status: number | undefined,
      isCase = false,
    ) => ({
      text: `This ${isCase ? "case" : "service"} does not ${does}`,
      status,
      detail: isCase
        ? "A case is read-only, and has only the responses that were recorded."
        : undefined,
      remedy: isCase ? undefined : remedy,
    }),
  },
  auth: {
    service_denied: (text: string, facts: ErrorFacts) => ({ text, ...facts }),
    credential_missing: () => ({
      text: "Not logged in",
      suggestion: suggest("auth login"),
      done: UNSENT,
    }),
    credential_unsendable: () => ({
      text: "The credential contains characters that cannot be sent",
      suggestion: suggest("auth login"),
    }),
  },
  conflict: {
    service_conflict: (text: string, facts: ErrorFacts) => ({ text, ...facts }),
    project_not_verified: (source: string, problem: string) => ({
      text: `Cannot verify the project that ${source} expects`,
      detail: `${problem}.`,
      remedy: `Use a credential that can list projects, or remove ${source}.`,
    }),
    project_not_expected: (source: string, wanted: string, problem: string, detail?: string) => ({
      text: `${source} is ${wanted}, but ${problem}`,
      detail,
      remedy: `Check --profile and --project, or change ${source}.`,
    }),
  },
  rejected: { service_rejected: (text: string, facts: ErrorFacts) => ({ text, ...facts }) },
  service: {
    service_failed: (text: string, facts: ErrorFacts) => ({ text, ...facts }),
    service_unreachable: (text: string, facts: ErrorFacts, cause: unknown) => ({
      text,
      ...facts,
      cause,
    }),
    answer_unusable: (does: string, problem: string, facts: ErrorFacts, cause?: unknown) => ({
      text: `Could not ${does}: ${problem}`,
      ...facts,
      cause,
    }),
    rate_limited: (does: string, retryAfter: string, done: string) => ({
      text: `Could not ${does}: the service limits the rate of requests`,
      retryable: true,
      retryAfter,
      done,
    }),
  },
  partial: {
    created_without_id: (what: string | undefined, status: number, facts: ErrorFacts) => ({
      text: `The ${what} was created, but the response has no ID (${status})`,
      ...facts,
      done: `The ${what} exists. The request was not sent again.`,
      data: { created: { id: null } },
    }),
  },
  "unknown-outcome": {
    outcome_unknown: (what: string, reason: string, facts: ErrorFacts, cause?: unknown) => ({
      text: `It is unknown whether ${what}: ${reason}`,
      ...facts,
      reason,
      cause,
    }),
  },
  timeout: {
    answer_late: (does: string, reason: string, facts: ErrorFacts) => ({
      text: `Could not ${does}: ${reason}`,
      ...facts,
    }),
    answer_stalled: (host: string, seconds: number, remedy: string) => ({
      text: `${host} sent nothing more within ${seconds} s`,
      remedy,
    }),
    answer_never: (within: string, facts: ErrorFacts) => ({
      text: `The service did not answer within ${within}`,
      ...facts,
    }),
  },
});
