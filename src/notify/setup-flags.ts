import type { AmpError, InputIssue } from "../errors.ts";
import type { StepKind } from "./steps.ts";

/** Which option of `amp notify setup` carried an input, by the step that sent it. */
const FLAGS: Readonly<Record<StepKind, Readonly<Record<string, string>>>> = {
  destination: {
    name: "--destination-name",
    type: "--destination-type",
    "metadata.url": "--url",
    metadata: "--metadata",
    secrets: "--secret",
  },
  topic: { name: "--topic" },
  "event-route": { eventType: "--event", topicId: "--topic-id" },
  "destination-route": { topicId: "--topic-id", destinationId: "--destination-id" },
};

/**
 * Names each invalid input by the option that carried it. The command's own table cannot: `name` is
 * the destination's in one request and the topic's in the next.
 */
export function nameFlags(error: AmpError): AmpError {
  const { issues } = error.facts;
  const flags = FLAGS[String(refusedAddress(error)).split("/")[0] as StepKind];
  if (flags === undefined || issues === undefined) return error;
  return error.with({ issues: issues.map((issue) => withFlag(issue, flags)) });
}

/** What the service has refused, of those that an engine's error names. */
export function refusedAddress({ facts: { data } }: AmpError): string | undefined {
  const failed = data?.failed as readonly { readonly address: string }[] | undefined;
  return failed?.[0]?.address;
}

function withFlag(issue: InputIssue, flags: Readonly<Record<string, string>>): InputIssue {
  const name = issue.name ?? "";
  // The service may name a place within an input, for example `metadata.headers.x`.
  const known = Object.keys(flags).find((key) => name === key || name.startsWith(`${key}.`));
  const flag = known === undefined ? undefined : flags[known];
  return flag === undefined ? issue : { ...issue, flag };
}
