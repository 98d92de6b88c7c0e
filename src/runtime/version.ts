import packageJson from "../../package.json" with { type: "json" };

/** The version of amp, as released. */
export const version: string = packageJson.version;
