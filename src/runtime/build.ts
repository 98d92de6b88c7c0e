/** The facts of this build of amp. */
export interface Build {
  /**
   * The kind: `source` for `src` unchanged, `bundle` for the npm package, `standalone` for the
   * program with its runtime.
   */
  readonly kind: "source" | "bundle" | "standalone";
  /** The commit of the build, with `-dirty` if files were changed; absent if unknown. */
  readonly commit?: string;
}

/** The build of the source. A build replaces this file: see `build/stamp.ts`. */
export const build: Build = { kind: "source" };
