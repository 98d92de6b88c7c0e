import { isAbsolute, relative, sep } from "node:path";

/** Whether a file is a folder, or in it. */
export function isWithin(root: string, file: string): boolean {
  const way = relative(root, file);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
