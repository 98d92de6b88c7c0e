import type { ChildProcess } from "node:child_process";

/** The pager of a terminal, and the output without one. */
interface Paging {
  /** The command of the pager, with its arguments; quotes keep words together. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The lines of the terminal. */
  readonly rows: number;
  /** Writes what fits the screen, and everything where there is no pager. */
  readonly write: (chunks: AsyncIterable<string>) => Promise<void>;
  /** Leaves the terminal, with its interrupts, to the pager until the work ends. */
  readonly handOver: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The pager where no variable names one: it ends at once for what fits, and keeps colours. */
const DEFAULT_PAGER = "less";
/** The options of less unless the user has set some, as for git. */
const DEFAULTS = { LESS: "FRX", LV: "-c" } as const;

/** The pager that the environment names; undefined where it names none: empty, or `cat`. */
export function pagerCommand({
  AMP_PAGER,
  PAGER,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  const command = (AMP_PAGER ?? PAGER ?? DEFAULT_PAGER).trim();
  return command === "" || command === "cat" ? undefined : command;
}

/** Writes chunks through a pager once they are longer than the screen. */
export async function writePaged(chunks: AsyncIterable<string>, paging: Paging): Promise<void> {
  const rest = chunks[Symbol.asyncIterator]();
  const head: string[] = [];
  async function* all(): AsyncGenerator<string> {
    try {
      yield* head;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      // A reader that stops ends the source, for example a download.
      await rest.return?.();
    }
  }
  try {
    // The prompt of the shell takes a line.
    for (let lines = 0; lines < paging.rows; ) {
      const next = await rest.next();
      if (next.done === true) return paging.write(all());
      head.push(next.value);
      lines += next.value.split("\n").length - 1;
    }
  } catch (error) {
    // What came before the failure fits the screen.
    await paging.write(all());
    throw error;
  }
  const pager = await start(paging);
  return pager === undefined ? paging.write(all()) : paging.handOver(() => feed(pager, all()));
}

/** Starts the pager; undefined where it cannot be started: the output matters more. */
async function start({ command, env }: Paging): Promise<ChildProcess | undefined> {
  const { spawn } = await import("node:child_process");
  const words = Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu),
    ([, one, two, three]) => one ?? two ?? three ?? "",
  );
  const [program = "", ...args] = words;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...DEFAULTS, ...env },
    });
    child.once("spawn", () => resolve(child));
    child.once("error", () => resolve(undefined));
  });
}

/**
 * Writes at the pager's pace until it has all, or the reader quits it; then waits until it ends.
 */
async function feed(pager: ChildProcess, chunks: AsyncIterable<string>): Promise<void> {
  const ended = new Promise<void>((resolve) => pager.once("close", () => resolve()));
  const { stdin } = pager;
  let isGone = stdin === null;
  // A pager that was quit reads no more; that is not an error.
  stdin?.on("error", () => {
    isGone = true;
  });
  pager.once("exit", () => {
    isGone = true;
  });
  try {
    for await (const chunk of chunks) {
      if (isGone) break;
      await new Promise<void>((resolve) => {
        stdin?.write(chunk, () => resolve());
        void ended.then(resolve);
      });
      if (isGone) break;
    }
  } finally {
    stdin?.end();
    await ended;
  }
}
