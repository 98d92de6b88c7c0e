import {
  DESTINATION_TYPE_NAMES,
  type DestinationField,
  destinationType,
  metadataWords,
} from "../../../api/catalogue/destination-types.ts";
import { MISTAKE_WORDS, refuseMistakes } from "../../../api/catalogue/mistakes.ts";
import { defineCommand, type RunContext, record, required, text } from "../../../cli/define.ts";
import { createNamed } from "../../../notify/create.ts";
import { readDestinationContent } from "../../../notify/model/destination-input.ts";
import { redactMetadata } from "../../../notify/model/metadata.ts";
import { contentMistakes } from "../../../notify/model/mistakes.ts";
import { nameCheck, withNameAdvice } from "../../../notify/model/names.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import type { DestinationContent } from "../../../notify/model/secrets.ts";
import { createdPage } from "../../../notify/resource-page.ts";
import { changeCopyAndOriginal } from "../../../values/odd-fields.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { allowOf } from "../../report-options.ts";
import { destinationOptions, stateOptions } from "../options.ts";

const INDENT = 18;
const WIDTH = 78;

/** Asks on a terminal for what the type needs and was not typed. */
async function withMissing(
  context: Pick<RunContext, "interactive" | "prompt" | "yes" | "report" | "files">,
  allow: readonly string[],
  type: string,
  given: DestinationContent,
): Promise<DestinationContent> {
  const isMissing = contentMistakes(type, given).some(({ field }) => field === "missing");
  if (!isMissing || allow.includes("incomplete") || !context.interactive) return given;
  const { askContentAlone } = await import("../../../notify/setup/wizard/destination.ts");
  const { prompt, yes, report, files } = context;
  return askContentAlone({ prompt, yes, report, files, allow, live: undefined }, type, given);
}

export default defineCommand({
  description:
    "Known types with their metadata fields and, after a plus, their secrets; ? marks optional fields. Other types are sent unchanged.\n\n" +
    typeHelp(),
  options: {
    name: required(
      text("name of the destination: letters, digits and dashes", {
        placeholder: "name",
        question: "Destination name",
        accepts: nameCheck("destination"),
      }),
    ),
    type: required(
      text("type of the destination", {
        placeholder: "type",
        question: "Destination type",
        suggestions: DESTINATION_TYPE_NAMES,
      }),
    ),
    ...destinationOptions,
    allow: allowOf(MISTAKE_WORDS),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  examples: [
    "amp notify destinations create --name ops --type webhook --url https://hooks.acme.com/amp",
    {
      note: "a stream, with its keys from the environment",
      run: "amp notify destinations create --name ops-stream --type kinesis --metadata streamName=amp-events --metadata region=eu-central-1 --secret awsKeyId=env:AWS_ACCESS_KEY_ID --secret awsSecretKey=env:AWS_SECRET_ACCESS_KEY",
    },
  ],
  fields: RESULT_FIELDS.destination,
  run: async (context) => {
    const { options, files, report } = context;
    const { name, type, allow } = options;
    const given = await readDestinationContent(type, options, files);
    const { metadata, secrets } = await withMissing(context, allow, type, given);
    refuseMistakes(contentMistakes(type, { metadata, secrets }), allow, report.warn);
    const body = { name, type, metadata, secrets };
    const sent = createNamed(context, "destination", body, options);
    return changeCopyAndOriginal(await withNameAdvice(sent, name), redactMetadata);
  },
  view: record<LiveRecord>((destination) =>
    createdPage(
      "destination",
      destination,
      suggest("notify routes create", [], {
        topic: { placeholder: "topic" },
        destination: destination.name || destination.id,
      }),
    ),
  ),
});

/** Each known type with its metadata and, after a plus, its secrets. */
function typeHelp(): string {
  return DESTINATION_TYPE_NAMES.flatMap((name) => {
    const { secrets = [] } = destinationType(name) ?? {};
    return [
      ...hangingIndent(name, metadataWords(name, fieldName)),
      ...(secrets.length > 0 ? hangingIndent("", ["+", ...secrets.map(fieldName)]) : []),
    ];
  }).join("\n");
}

function fieldName({ name, required }: DestinationField): string {
  return required ? name : `${name}?`;
}

function hangingIndent(term: string, words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = `  ${term}`.padEnd(INDENT);
  for (const word of words) {
    if (line.trim() !== "" && line.length + word.length + 1 > WIDTH) {
      lines.push(line.trimEnd());
      line = " ".repeat(INDENT);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
