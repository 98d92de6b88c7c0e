/** The file of a routing, as states know it. */
export interface AppliedFile {
  /** Its path in the folder of a local state, or else in its repository, with the repository's name. */
  readonly path: string;
  /** Whether the name of the routing is in it. */
  readonly hasOwnName: boolean;
  /** Where a path of this machine begins. */
  readonly folder?: string;
  /** Whether another repository may have a file at this path. */
  readonly isUnknown?: true;
}
