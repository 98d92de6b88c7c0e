/** The words of JSON output for what applying a plan does to a resource, and their meanings. */
export const ACTIONS = {
  create: "it does not exist, and is created",
  adopt: "it exists with the same settings, and is added to the state; nothing is sent",
  update: "it exists with different settings, and is updated in place",
  delete: "this file declared it, amp created it, and no file declares it any more: it is deleted",
  in_place: "it exists with the same settings; nothing is done",
  release: "this file no longer declares it, and it is kept; nothing is sent",
  unknown: "the outcome of an earlier write is unknown; it is settled first",
  conflict: "it prevents the plan from being applied; reason has the cause",
} as const;

/** The actions of a plan on a resource. */
export type ActionWord = keyof typeof ACTIONS;

/** The words for why an item is in conflict, and their meanings. */
export const CONFLICTS = {
  same_id: "two addresses have one ID; elsewhere has the other address",
  not_found: "the file has an ID that the service does not list",
  both_exist: "a resource with its name and one with its renamed-from both exist",
  end_in_conflict: "its topic or destination is in conflict",
  shared: "another file owns it; --accept shared changes it, and its owner",
  name_taken: "it was renamed at the service, and another resource has its name now",
  ambiguous: "several resources at the service match",
  unclear: "a resource at the service may match; the list does not show enough to be sure",
  gone: "it is in the state and no longer listed; --accept recreate creates it again",
  replaced: "its ID is gone, and another resource has its name; --accept adopt takes that one",
  cannot_change: "it exists with settings that cannot be updated in place",
  not_managed:
    "it exists with different settings, which amp or a file did not set; --accept adopt updates it",
  changed_both: "the file and the service both changed it; --accept adopt sends what the file says",
  in_reads: "reads of customers name it; --accept references deletes or renames it anyway",
  takeover:
    "the file declares nothing of what was applied under its name; --accept takeover applies it",
} as const;

/** Why an item is in conflict. */
export type ConflictReason = keyof typeof CONFLICTS;

/** The words for why an item is in conflict, unknown or created again, and their meanings. */
export const REASONS = {
  ...CONFLICTS,
  follows: "it connects a resource that is created again",
  id_unknown: "the service created it, but the response had no ID",
} as const;

/** Why an item is in conflict, unknown or created again. */
export type ReasonWord = keyof typeof REASONS;

/** The words for why a resource is kept that the file no longer declares, and their meanings. */
export const KEEP_REASONS = {
  in_use: "routes that stay use it",
  other_name: "the service lists its ID under another name",
} as const;

/** Why a resource is kept that the file no longer declares. */
export type KeepReason = keyof typeof KEEP_REASONS;

/** The words of JSON output for what became of a resource in a run, and their meanings. */
export const OUTCOMES = {
  created: "it was created; with earlier, by an earlier attempt whose outcome was unknown",
  adopted: "it existed with the same settings, and was added to the state",
  in_place: "it existed with the same settings; nothing was done",
  updated: "it was updated in place",
  deleted: "it was deleted",
  failed: "not done: the service refused the request, or it was not sent",
  unknown: "it may have taken effect; it is looked up before it is sent again",
  not_created: "an earlier create was started, but created nothing",
} as const;

/** The outcomes of a resource in a run. */
export type OutcomeWord = keyof typeof OUTCOMES;

/** How often each word of a vocabulary is among words. */
export function countsOf<Word extends string>(
  words: Readonly<Record<Word, string>>,
  found: readonly Word[],
): Record<Word, number> {
  const counts = Object.fromEntries(Object.keys(words).map((word) => [word, 0]));
  for (const word of found) counts[word] = (counts[word] ?? 0) + 1;
  return counts as Record<Word, number>;
}
