/** How this amp was built. */
export interface Build {
  /** `source`: `src` as it is; `bundle`: the npm package; `standalone`: the program with its runtime. */
  readonly kind: "source" | "bundle" | "standalone";
  /** The commit of the build, with `-dirty` if files were changed; absent if unknown. */
  readonly commit?: string;
}

/** A build replaces this file: see `build/stamp.ts`. */
export const build: Build = { kind: "source" };
