import { duration, flag, integer, required, text } from "../../cli/define.ts";

/** Of every command that reads or changes what amp remembers of a routing. */
export const stateOptions = {
  state: text("where the state is kept: a file, https://…, gitlab or s3://…", {
    placeholder: "place",
    setting: "state",
  }),
  lockWait: duration("wait so long for another run that holds the lock (default: not at all)"),
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
