import { join } from "node:path";
import { readOwnFileSync } from "../durable/read-file.ts";
import { CREDENTIAL_KINDS } from "../settings.ts";
import { withFile } from "./file-error.ts";
import { type Fields, fieldsAt, neededTextAt, oneOfAt, shapeError, textAt } from "./file-shape.ts";
import { parseJsonText } from "./json-text.ts";
import { isProfileName, type Profile } from "./profile.ts";

/** What the file of profiles holds; a map, for a name may be one that every object has. */
export interface ProfileFile {
  readonly active: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The path of the file of profiles, which is also the path of the lock of the whole folder. */
export function profileFilePath(folder: string): string {
  return join(folder, "config.json");
}

/**
 * Reads the profiles. By hand, for this is on the way of nearly every command, and importing conf
 * or zod costs more than all else that such a command does.
 * @throws {UsageError} with path and place for a file that cannot be understood; it is left alone
 */
export function readProfileFile(folder: string): ProfileFile {
  const path = profileFilePath(folder);
  const text = readIfThere(path);
  return text === undefined ? { active: undefined, profiles: new Map() } : parse(text, path);
}

/** The text of a file of the user's; undefined where there is none. @param most bytes */
export function readIfThere(path: string, most?: number): string | undefined {
  return withFile("read", path, () => readOwnFileSync(path, most));
}

function parse(text: string, path: string): ProfileFile {
  const { active, profiles = {} } = fieldsAt(path, "it", parseJsonText(text, path));
  const named = Object.entries(fieldsAt(path, "profiles", profiles));
  return {
    active: textAt(path, "active", active),
    profiles: new Map(named.map(([name, value]) => [name, profileAt(path, name, value)])),
  };
}

function profileAt(path: string, name: string, value: unknown): Profile {
  const where = `profiles.${name}`;
  if (!isProfileName(name)) {
    throw shapeError(path, `the name ${JSON.stringify(name)}`, "letters, digits, dots and dashes");
  }
  const fields: Fields = fieldsAt(path, where, value);
  for (const key of ["project", "org", "integration", "keyring"])
    textAt(path, `${where}.${key}`, fields[key]);
  const baseUrl = neededTextAt(path, `${where}.baseUrl`, fields.baseUrl);
  const kinds = [...CREDENTIAL_KINDS, "none"] as const;
  const credential = oneOfAt(path, `${where}.credential`, fields.credential ?? "none", kinds);
  return { ...fields, baseUrl, credential };
}
