import type { Sink } from "../io.ts";
import { display } from "../ui/text.ts";

/** What a command writes to stdout by itself. */
export interface RawOutput {
  /** Resolves when the reader has taken it. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Ends the last line of a terminal, so that what follows does not stand behind it. */
  end(): Promise<void>;
}

/**
 * Byte for byte into a pipe or file; on a terminal, what it would obey is shown as a visible escape,
 * for the bytes may be somebody else's.
 */
export function rawOutput(sink: Sink): RawOutput {
  if (!sink.isTty) return { write: (chunk) => sink.write(chunk), end: async () => {} };
  // A character may come in two chunks.
  const decoder = new TextDecoder();
  let isLineOpen = false;
  const put = async (text: string) => {
    if (text === "") return;
    isLineOpen = !text.endsWith("\n");
    await sink.write(display(text));
  };
  return {
    write: (chunk) =>
      put(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })),
    end: async () => {
      await put(decoder.decode());
      if (isLineOpen) await put("\n");
    },
  };
}
