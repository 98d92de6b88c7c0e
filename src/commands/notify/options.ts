import { duration, flag, integer, pair, required, several, text, value } from "../../cli/define.ts";
import { readSecretArgument } from "../../notify/model/destination-input.ts";

/** The options of every command that reads or changes the saved state. */
export const stateOptions = {
  state: text("location of the saved state: a file, https://…, gitlab or s3://…", {
    placeholder: "location",
    setting: "state",
  }),
  lockWait: duration("how long to wait for the lock (default: do not wait)"),
};

/** Of every command that reads a routing file. */
export const fileOptions = {
  file: required(
    text("routing file; - for standard input", {
      placeholder: "file",
      complete: "file",
      short: "-f",
    }),
  ),
  allowLiteralSecrets: flag("accept secrets that stand in the file itself"),
};

/** Of every command that creates. */
export const engineOptions = {
  parallel: integer("creates at once, where the service has lists (default 4)", {
    min: 1,
    max: 64,
  }),
  commitHorizon: duration(
    "how long the service may still create what a request that timed out asked for (default 60s)",
  ),
  prune: flag("delete what this state made and the file no longer names"),
  recreate: flag("create again what this state knows and the service does not list any more"),
};

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
