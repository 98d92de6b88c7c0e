import { type IPty, spawn } from "@lydell/node-pty";

/** A shell under a pseudo-terminal, as a person would type into it. */
export class Terminal {
  readonly #pty: IPty;
  #seen = "";
  #arrived = Promise.withResolvers<void>();

  constructor(
    program: string,
    args: readonly string[],
    home: { cwd: string; env: Record<string, string> },
  ) {
    this.#pty = spawn(program, [...args], { cols: 200, rows: 80, ...home });
    this.#pty.onData((data) => {
      this.#seen += data;
      const arrived = this.#arrived;
      this.#arrived = Promise.withResolvers();
      arrived.resolve();
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits for a text on the screen; takes it and all before it away. The test's timeout ends it. */
  async until(text: string): Promise<string> {
    for (;;) {
      const at = this.#seen.indexOf(text);
      if (at >= 0) {
        const before = this.#seen.slice(0, at);
        this.#seen = this.#seen.slice(at + text.length);
        return before;
      }
      await this.#arrived.promise;
    }
  }

  close(): void {
    this.#pty.kill();
  }
}
