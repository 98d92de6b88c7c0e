import packageJson from "../../package.json" with { type: "json" };

/** The version of the release. */
export const version: string = packageJson.version;
