import { type IPty, spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { collectPrinted } from "../printed-suggestions.ts";
import type { Home } from "./program.ts";
import { Screen, type Size, USUAL } from "./screen.ts";

/** What a person presses. */
export const KEYS = {
  enter: "\r",
  space: " ",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  escape: "\x1b",
  backspace: "\x7f",
  ctrlC: "\x03",
  ctrlD: "\x04",
} as const;

/** How long a text may take to appear, in milliseconds: on a slow machine it is still a failure. */
const PATIENCE = 120_000;

/** A program under a pseudo-terminal, its screen drawn as a person would see it. */
export class Terminal {
  /** What the program has drawn so far. */
  readonly screen: Screen;
  readonly #pty: IPty;
  readonly #exit = Promise.withResolvers<number>();
  #changed = Promise.withResolvers<void>();
  #ended = false;
  #written = "";

  /** Starts a program in a terminal of its own; it goes with the test. */
  constructor([program, ...args]: readonly [string, ...string[]], home: Home, size: Size = USUAL) {
    this.#pty = spawn(program, args, {
      name: "xterm-256color",
      cols: size.columns,
      rows: size.rows,
      cwd: home.folder,
      env: { ...home.env },
    });
    this.screen = new Screen(size, (answer) => this.#pty.write(answer));
    this.#pty.onData((data) => {
      this.#written += data;
      this.screen.draw(data, () => this.#change());
    });
    this.#pty.onExit(({ exitCode, signal }) => {
      // Behind everything that was written before it.
      this.screen.draw("", () => {
        this.#ended = true;
        collectPrinted(this.#written);
        this.#exit.resolve(signal ? 128 + signal : exitCode);
        this.#change();
      });
    });
    onTestFinished(() => {
      if (!this.#ended) this.#pty.kill("SIGKILL");
    });
  }

  /** The process in the terminal. */
  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything that the program has sent, escape codes included. */
  get written(): string {
    return this.#written;
  }

  type(...keys: readonly string[]): void {
    this.#pty.write(keys.join(""));
  }

  resize(size: Size): void {
    this.screen.resize(size);
    this.#pty.resize(size.columns, size.rows);
  }

  /** Waits until a line of the screen holds a text. */
  async until(text: string | RegExp): Promise<void> {
    const holds = (line: string) =>
      typeof text === "string" ? line.includes(text) : text.test(line);
    await this.#wait(`${text}`, () => this.screen.visible().some(holds));
  }

  /** Waits until these lines stand on the screen, one below the other and nothing else in them. */
  async shows(...lines: readonly string[]): Promise<void> {
    await this.#wait(`\n${lines.join("\n")}\n`, () => {
      const screen = this.screen.visible();
      return screen.some((_, at) => lines.every((line, below) => screen[at + below] === line));
    });
  }

  /** Waits until this is asked; what was asked before it has another mark. */
  async asked(question: string): Promise<void> {
    await this.#wait(`the question ${question}`, () =>
      this.screen.visible().some((line) => line.startsWith(`? ${question}`)),
    );
  }

  /** Answers a question with a text. */
  async answer(question: string, text: string): Promise<void> {
    await this.asked(question);
    this.type(text, KEYS.enter);
  }

  /** Answers a question by a choice from a list. */
  async choose(question: string, label: string): Promise<void> {
    await this.asked(question);
    await this.moveTo(label);
    this.type(KEYS.enter);
  }

  /** Ticks, or unticks, choices of a list in their order. */
  async tick(...labels: readonly string[]): Promise<void> {
    for (const label of labels) {
      const before = await this.moveTo(label);
      this.type(KEYS.space);
      await this.#wait(
        `a change of ${label}`,
        () => ![undefined, before].includes(this.#pointed()),
      );
    }
  }

  /** Moves to a choice of a list: up to one in sight above, otherwise down. Resolves to its line. */
  async moveTo(label: string): Promise<string> {
    await this.#wait("a list", () => this.#pointed() !== undefined);
    for (;;) {
      const line = this.#pointed() ?? "";
      if (line.includes(label)) return line;
      const lines = this.screen.visible();
      const above = lines.slice(lines.findLastIndex((one) => one.startsWith("?")) + 1);
      const list = above.slice(0, above.indexOf(line));
      this.type(list.some((one) => one.includes(label)) ? KEYS.up : KEYS.down);
      await this.#wait(`a choice ${label}`, () => ![undefined, line].includes(this.#pointed()));
    }
  }

  /** Waits until the program has ended, with this code. */
  async exits(expected: number): Promise<void> {
    const code = await inTime(this.#exit.promise);
    if (code === expected) return;
    const what = code === undefined ? "it goes on" : `it ended with exit code ${code}`;
    throw new Error(`${what}, not with ${expected}:\n${this.#picture()}`);
  }

  /** The line of a list that Enter or space is about. */
  #pointed(): string | undefined {
    return this.screen.visible().find((line) => line.startsWith("›"));
  }

  #change(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }

  async #wait(what: string, holds: () => boolean): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    while (!holds()) {
      if (this.#ended) throw new Error(`it ended without ${what}:\n${this.#picture()}`);
      const { promise } = this.#changed;
      const left = deadline - Date.now();
      const changed =
        left > 0 &&
        (await inTime(
          promise.then(() => true),
          left,
        ));
      if (!changed) throw new Error(`no ${what} on the screen:\n${this.#picture()}`);
    }
  }

  #picture(): string {
    return this.screen
      .transcript()
      .map((line) => `| ${line}`)
      .join("\n");
  }
}

async function inTime<Value>(
  promise: Promise<Value>,
  patience = PATIENCE,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
