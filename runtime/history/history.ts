/**
 * History: what became of an object, who did it, and which manager set which field.
 *
 *  1. It asks what any server of release 1.29 answers: lists as of a revision. It needs nothing beside the API, and works against
 *     a server that is not ours as far as that one keeps revisions.
 *  2. Every revision of an object is found, not a sample: each one names the version that it stands on.
 *  3. Where the server has forgotten what was before, the history says so, and since when it remembers.
 */
export { type BlamedField, blame } from './blame.ts'
export {
  type HistoryOptions,
  type ObjectHistory,
  type ObjectRevision,
  objectHistory,
  revisionAt,
} from './object-history.ts'
export { objectAt } from './past-objects.ts'
