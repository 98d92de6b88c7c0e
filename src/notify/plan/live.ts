/** The routing as the service lists it: what natural keys and comparisons need, unknown fields kept. */
export interface LiveRouting {
  readonly destinations: readonly {
    readonly id: string;
    readonly name?: string | null | undefined;
    readonly type?: string | null | undefined;
    readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  }[];
  readonly topics: readonly { readonly id: string; readonly name?: string | null | undefined }[];
  readonly eventRoutes: readonly {
    readonly id: string;
    readonly topicId?: string | null | undefined;
    readonly eventType?: string | null | undefined;
  }[];
  readonly destinationRoutes: readonly {
    readonly id: string;
    readonly topicId?: string | null | undefined;
    readonly destinationId?: string | null | undefined;
  }[];
}
