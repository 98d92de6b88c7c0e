import { pair, several, text, value } from "../../cli/define.ts";
import { readSecretArgument } from "../../notify/secret-argument.ts";

/** The options that say what a new destination is made of. */
export const destinationOptions = {
  url: text("where it delivers to: the same as --metadata url=…", {
    placeholder: "url",
    wire: "metadata.url",
  }),
  metadata: several(
    pair("a value of the metadata; a dot leads into it, as in headers.X-Team=ops", {
      wire: "metadata",
    }),
  ),
  metadataJson: text("the metadata as a JSON object, or @file; --metadata is laid over it", {
    placeholder: "json",
  }),
  secret: several(
    value("a secret: name=@file, name=env:VARIABLE or name=-", "name=from", readSecretArgument, {
      wire: "secrets",
    }),
  ),
};
