import { DESTINATION_TYPE_NAMES } from "../../../api/destination-types.ts";
import type { Destination } from "../../../api/schemas/notification.ts";
import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { createdPage } from "../../../notify/created-page.ts";
import { deliversTo } from "../../../notify/delivers-to.ts";
import { readDestination } from "../../../notify/destination-input.ts";
import { sendDestination } from "../../../notify/send-destination.ts";
import { nameAdvised } from "../../../notify/suggest-name.ts";
import { typeHelp } from "../../../notify/type-help.ts";
import { withoutOpener } from "../../../notify/without-openers.ts";
import { quote } from "../../../shell-words.ts";
import { destinationOptions } from "../destination-options.ts";

export default defineCommand({
  description:
    "The types known today, with their metadata and, after a plus, their secrets; what has a " +
    "question mark may be left out. Another type is passed on with whatever it is given.\n\n" +
    typeHelp(),
  options: {
    name: required(text("name, of letters, digits and dashes", { placeholder: "name" })),
    type: required(
      text("type of the destination", {
        placeholder: "type",
        suggestions: DESTINATION_TYPE_NAMES,
      }),
    ),
    ...destinationOptions,
  },
  needs: ["project"],
  effect: "write",
  examples: [
    "amp notify destinations create --name ops --type webhook --url https://hooks.acme.com/amp",
    {
      note: "a stream, its keys from the environment",
      run:
        "amp notify destinations create --name ops-stream --type kinesis " +
        "--metadata streamName=amp-events --metadata region=eu-central-1 " +
        "--secret awsKeyId=env:AWS_ACCESS_KEY_ID --secret awsSecretKey=env:AWS_SECRET_ACCESS_KEY",
    },
  ],
  run: async ({ api, project, options, files }) => {
    const { name, type } = options;
    const content = await readDestination(type, options, files);
    const sent = sendDestination({ api, project }, { name, type, ...content });
    return withoutOpener(await nameAdvised(sent, name));
  },
  view: record<Destination>((destination) =>
    createdPage(
      "destination",
      destination,
      {
        Name: destination.name,
        Type: destination.type,
        "Delivers to": deliversTo(destination),
      },
      `amp notify destination-routes create --topic-id <id> --destination-id ${quote(destination.id)}`,
    ),
  ),
});
