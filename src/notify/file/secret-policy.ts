import { isAbsolute, relative, sep } from "node:path";
import type { CommandContext } from "../../context/command-context.ts";
import { protectedVariable } from "../model/secrets.ts";

/**
 * The variables and files that a routing file's secrets may be read from. A file of another author
 * names both the secret and the destination that receives it.
 */
export interface SecretPolicy {
  /** The reason why a variable must not be read; undefined if it may be. */
  refusesVariable(name: string): string | undefined;
  /** The resolved path of a file, or the reason why it must not be read. */
  locate(path: string, folder: string): Promise<{ readonly file: string } | string>;
}

/** The secrets that the command line and the environment allow. */
export interface AllowedSecrets {
  /** The names of `--allow-env`, in which `*` matches any characters. */
  readonly allowEnv: readonly string[];
  /** The paths of `--allow-file`: files, or folders with all that is in them. */
  readonly allowFile: readonly string[];
}

type PolicyContext = Pick<CommandContext, "settings"> & {
  readonly files: Pick<CommandContext["files"], "realPath">;
};

/** The policy for a file that amp itself has written. */
export function trustingPolicy(): SecretPolicy {
  return { refusesVariable: () => undefined, locate: async (path) => ({ file: path }) };
}

/**
 * The policy for a routing file. Variables with a login of this machine or of amp are refused
 * unless they are allowed by name; files must be in the routing file's folder or allowed.
 */
export function secretPolicy(
  { settings, files }: PolicyContext,
  { allowEnv, allowFile }: AllowedSecrets,
): SecretPolicy {
  const listed = settings.get("allowEnv");
  const matches = matcher([...allowEnv, ...(listed?.value.split(/[\s,]+/u) ?? [])]);
  return {
    refusesVariable(name) {
      if (matches(name)) return undefined;
      if (listed) return `${name} is not in ${listed.source}; add --allow-env ${name} to allow it`;
      const owner = protectedVariable(name);
      return (
        owner &&
        `${name} ${owner}, so it is not read for a destination; add --allow-env ${name} to allow it`
      );
    },
    async locate(path, folder) {
      const file = await files.realPath(path);
      // The kernel's files about this process, its environment above all, are never a secret's
      // file.
      if ([path, file].some((one) => KERNEL.test(one)))
        return `files of ${kernelOf(file)} are not read`;
      const roots = await Promise.all([folder, ...allowFile].map((one) => files.realPath(one)));
      if (roots.some((root) => isWithin(root, file))) return { file };
      return `${path} is not in the folder of the routing file; add --allow-file ${path} to allow it`;
    },
  };
}

const KERNEL = /^\/(?:proc|sys)(?:\/|$)/u;

function kernelOf(file: string): string {
  return file.startsWith("/sys") ? "/sys" : "/proc";
}

/** Compares names as Windows does, where `aws_secret_access_key` reads the same variable. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns
    .filter((pattern) => pattern !== "")
    .map((pattern) => {
      const parts = pattern.split("*").map((part) => part.replaceAll(/[^\w]/gu, "\\$&"));
      return new RegExp(`^${parts.join(".*")}$`, "iu");
    });
  return (name) => all.some((pattern) => pattern.test(name));
}

/** Whether a file is a folder, or in it. */
export function isWithin(root: string, file: string): boolean {
  const way = relative(root, file);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
