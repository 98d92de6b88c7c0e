import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { temporaryFolder } from "../temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A part of the algorithm that is taken out. */
export interface Sabotage {
  readonly what: string;
  /** Below `src`. */
  readonly file: string;
  /** Each must be there, once, and what is put in its place. */
  readonly edits: readonly (readonly [text: string, instead: string])[];
}

const INTENT = `await orThrow(enqueue("intent", withIntent(address, intent), address));`;
const TAKEN = "if (by === undefined || !isProvablyDead(by)) return";
const APPENDED = "if (found.size === size) return fill(file, bytes);";
const OWNED = "if (now !== undefined && parseOwner(now)?.id === owner.id) return;";

/** What the fault matrix must notice when it is missing. */
export const SABOTAGES: readonly Sabotage[] = [
  {
    what: "the intent write",
    file: "notify/state/manager.ts",
    edits: [[INTENT, "void address, void intent;"]],
  },
  {
    what: "the wait for the intent write",
    file: "notify/state/manager.ts",
    edits: [[INTENT, `void enqueue("intent", withIntent(address, intent), address);`]],
  },
  {
    what: "the lines of the journal",
    file: "durable/write-file.ts",
    edits: [[APPENDED, "if (found.size >= 0) return file.close();"]],
  },
  {
    what: "the sync of the journal",
    file: "durable/write-file.ts",
    edits: [
      [APPENDED, "if (found.size === size) return file.write(bytes, 0).then(() => file.close());"],
    ],
  },
  {
    what: "the ids-before set",
    file: "notify/engine/write-one.ts",
    edits: [["      idsBefore,\n", "      idsBefore: (void idsBefore, []),\n"]],
  },
  {
    what: "the look at the values of what may be created",
    file: "notify/engine/find-created.ts",
    edits: [
      ["hasOtherValues(salt, sent, record)", "hasOtherValues(salt, undefined && sent, record)"],
    ],
  },
  {
    what: "the look at what a create is answered with",
    file: "notify/engine/send-once.ts",
    edits: [["different.length === 0) {", "different.length >= 0 || Math.random() >= 0) {"]],
  },
  {
    what: "the look at the values after an update",
    file: "notify/engine/reconcile.ts",
    edits: [['if (seen !== "done") return', "if (seen === undefined) return"]],
  },
  {
    what: "the lock",
    file: "durable/lock.ts",
    edits: [
      [TAKEN, `if (Math.random() < 0) return`],
      [OWNED, "if (now !== null) return;"],
    ],
  },
  {
    what: "the lock's check before each create and save",
    file: "durable/lock.ts",
    edits: [[OWNED, "if (now !== null) return;"]],
  },
  {
    what: "the wait for lists that are behind",
    file: "notify/engine/run.ts",
    edits: [
      ["const horizon = since + ports.options.commitHorizonMs;", "const horizon = since;"],
      ["ports.elapsed() + ports.options.commitHorizonMs);", "ports.elapsed());"],
    ],
  },
  {
    what: "the clock that only goes forward",
    file: "notify/session.ts",
    edits: [["elapsed: () => performance.now(),", "elapsed: () => Date.now(),"]],
  },
];

/** A copy of the program; remove it when it is not needed any more. */
export interface Copy {
  /** Its entry. */
  readonly program: string;
  remove(): Promise<void>;
}

/**
 * Builds the program with a part taken out, or whole: packages are in it, which makes it start
 * faster than from their many files.
 * @throws {Error} where the part is not there any more: the sabotage has to follow the code
 */
export async function buildCopy(sabotage?: Sabotage): Promise<Copy> {
  // Below node_modules, so that the packages are found.
  const folder = temporaryFolder(join(ROOT, "node_modules"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await build({
      entryPoints: [join(ROOT, "src/main.ts")],
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      // Packages in CommonJS ask for built-in modules by this.
      banner: {
        js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
      },
      // esbuild does not bundle yaml's circular modules in the right order.
      external: ["@napi-rs/keyring", "yaml"],
      logLevel: "warning",
      plugins: sabotage ? [withoutPart(sabotage)] : [],
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { program: join(folder, "main.mjs"), remove };
}

function withoutPart({ what, file, edits }: Sabotage): Plugin {
  return {
    name: "sabotage",
    setup({ onLoad, onEnd }) {
      let done = false;
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== join(ROOT, "src", file)) return undefined;
        let source = await readFile(path, "utf8");
        for (const [text, instead] of edits) {
          const parts = source.split(text);
          if (parts.length !== 2) {
            throw new Error(`${what} is not where it was: ${parts.length - 1} times in ${file}`);
          }
          source = parts.join(instead);
        }
        done = true;
        return { contents: source, loader: "ts" };
      });
      onEnd(() => {
        if (!done) throw new Error(`${file} is no part of the program`);
      });
    },
  };
}
