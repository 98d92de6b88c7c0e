import { isAbsolute, relative, sep } from "node:path";

/** One list of values that are each missing, alone, or a list themselves. */
export function asList<Value>(
  ...values: readonly (Value | readonly Value[] | null | undefined)[]
): Value[] {
  return values.flatMap((value) => value ?? []) as Value[];
}

/** Compares by code units: equal on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * An object like another, but with some members of its own: how every context, and every part of
 * one, is derived. Getters stay getters, so that nothing is opened or read which nobody asks for; a
 * spread would call them, and leave out what its object inherits.
 */
export function derived<Base extends object, Members extends object>(
  base: Base,
  members: Members,
): Omit<Base, keyof Members> & Members {
  return Object.create(Object.getPrototypeOf(base), {
    ...Object.getOwnPropertyDescriptors(base),
    ...Object.getOwnPropertyDescriptors(members),
  });
}

/** Computes a value with the first call and keeps it; after an error, the next call tries again. */
export function once<Value>(work: () => Value): () => Value {
  let done: { value: Value } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

/** The result of work; undefined where it fails, for example for a text that is not JSON. */
export function tried<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A path template such as `/topics/{topicId}` with its values, each as one encoded segment. */
export function filledPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeURIComponent(values[name] ?? ""),
  );
}

/** A UUID, as IDs of integrations are (spec 4.3). */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** All bytes of a stream; undefined as soon as there are more than the limit. */
export async function readWithin(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    // Leaving the loop closes the stream.
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The text whose UTF-8 form is exactly these bytes; undefined if there is none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  // A byte order mark stays in it.
  return tried(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Whether a file is a folder, or in it. */
export function isWithin(root: string, file: string): boolean {
  const way = relative(root, file);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A text cut behind so many UTF-16 units, but in no character, with `…` for the rest. */
export function shortened(text: string, units: number): string {
  if (text.length <= units) return text;
  return `${text.slice(0, units).replace(/\p{Surrogate}$/u, "")}…`;
}
