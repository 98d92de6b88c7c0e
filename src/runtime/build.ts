/** How this amp was made. */
export interface Build {
  /** `source`: `src` as it is; `bundle`: the npm package; `standalone`: the program with its runtime. */
  readonly kind: "source" | "bundle" | "standalone";
  /** The commit that it was built from, with `-dirty` where files were changed; absent: not known. */
  readonly commit?: string;
}

/** A build writes its own in place of this file: see `build/stamp.ts`. */
export const build: Build = { kind: "source" };
