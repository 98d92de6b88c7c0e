import { readFileSync } from "node:fs";
import { mkdir, unlink } from "node:fs/promises";
import { writeFileDurably } from "../durable/write-file.ts";
import { UsageError } from "../errors.ts";
import { fileError } from "./file-error.ts";
import { type ProfileFile, profileFilePath, readIfThere } from "./profile-file.ts";

/**
 * Writes the profiles with conf, which keeps the keys of the file that are not ours. Only for the
 * holder of the folder's lock, who has read the file under it: conf has no lock of its own.
 * @throws {UsageError} where the file cannot be written; the old one is in its place then
 */
export async function writeProfileFile(folder: string, file: ProfileFile): Promise<void> {
  const path = profileFilePath(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const before = readIfThere(path);
    const written = await writeWithConf(folder, file);
    // On a nearly full disk the library that conf writes with reports success for half a file.
    if (readFileSync(path, "utf8") === written) return;
    await (before === undefined ? unlink(path) : writeFileDurably(path, before));
  } catch (error) {
    throw fileError("write", path, error);
  }
  throw new UsageError(`Cannot write ${path}: only a part of it arrived`, {
    done: "The profiles are as they were.",
    remedy: "See whether the disk is full.",
  });
}

/** @returns the text that must be in the file now */
async function writeWithConf(folder: string, file: ProfileFile): Promise<string> {
  // Loading conf takes longer than everything else here.
  const { default: Conf } = await import("conf");
  let text = "";
  const conf = new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: "config",
    configFileMode: 0o600,
    // A profile may be named `a.b`.
    accessPropertiesByDotNotation: false,
    serialize(value) {
      text = `${JSON.stringify(value, undefined, 2)}\n`;
      return text;
    },
  });
  const { active: _, ...others } = conf.store;
  const active = file.active === undefined ? {} : { active: file.active };
  conf.store = { ...others, ...active, profiles: Object.fromEntries(file.profiles) };
  return text;
}
