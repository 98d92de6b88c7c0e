import * as z from "zod";

const text = z.strictObject({ text: z.string().min(1) });
const level = z.enum(["error", "warning"]);
/** The part of SARIF 2.1.0 that a reader of the reports relies on, and nothing beside it. */
export const sarifLog = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      columnKind: z.literal("utf16CodeUnits"),
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.literal("amp"),
          version: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              shortDescription: text,
              help: text,
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      artifacts: z.array(
        z.strictObject({
          sourceLanguage: z.string(),
          location: z.strictObject({ uri: z.string() }),
        }),
      ),
      results: z.array(
        z.strictObject({
          level,
          message: text,
          ruleId: z.string(),
          ruleIndex: z.int(),
          locations: z.tuple([
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({
                  // A URI reference (RFC 3986), no path with spaces.
                  uri: z.string().regex(/^[\w.~!$&'()*+,;=:@%/-]+$/u),
                  index: z.int(),
                }),
                region: z.strictObject({
                  startLine: z.int().positive(),
                  startColumn: z.int().positive(),
                }),
              }),
            }),
          ]),
        }),
      ),
    }),
  ]),
});
