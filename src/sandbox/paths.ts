import type { Operation } from "./operation.ts";

/** A path template in hono's notation, below the base path. */
export function honoPath(template: string): string {
  return `/v1${template.replace(/\{(\w+)\}/gu, ":$1")}`;
}

/**
 * The methods of each place, as an Allow header has them. Two operations may name the same place
 * differently (`destinations/{name}` and `destinations/{id}`), so parameters are numbered here.
 */
export function allowedMethods(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const methods = new Map<string, string>();
  for (const { method, path } of operations) {
    let position = 0;
    const place = honoPath(path.replace(/\{\w+\}/gu, () => `{at${position++}}`));
    const known = methods.get(place);
    methods.set(place, known === undefined ? method : `${known}, ${method}`);
  }
  return methods;
}
