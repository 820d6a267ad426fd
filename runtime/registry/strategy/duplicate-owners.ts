/** Owners that an object names twice: it is stored with each once, and its sender is warned. */
import type { Metadata, OwnerReferenceLike } from '../../kernel/meta/object.ts'
import type { Draft } from './decode.ts'

/** A draft with each owner once, and a warning of the others, whatever becomes of the request. */
export function withDistinctOwners(draft: Draft): Draft {
  const { metadata, dropped } = dropDuplicateOwners(draft.object.metadata)
  if (dropped.length === 0) return draft
  const warnings = [...draft.warnings, ...duplicateOwnerWarnings(dropped, false)]
  return { ...draft, object: { ...draft.object, metadata }, warnings }
}

/** The metadata without owner references that stand twice; `dropped` holds the uids of those that are left out. */
export function dropDuplicateOwners(metadata: Metadata): {
  readonly metadata: Metadata
  readonly dropped: readonly string[]
} {
  const owners = metadata.ownerReferences ?? []
  if (owners.length < 2) return { metadata, dropped: [] }
  const seen = new Set<string>()
  const [kept, dropped]: [OwnerReferenceLike[], string[]] = [[], []]
  for (const owner of owners) {
    const text = ownerText(owner)
    if (seen.has(text)) dropped.push(owner.uid)
    else kept.push(owner)
    seen.add(text)
  }
  if (dropped.length === 0) return { metadata, dropped }
  return { metadata: { ...metadata, ownerReferences: kept }, dropped }
}

/** A text that only equal references share. */
function ownerText(owner: OwnerReferenceLike): string {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
}

/** The warning of the uids of owners that were left out; a patch, and what admission makes, is seen once admission is through. */
export function duplicateOwnerWarnings(
  uids: readonly string[],
  admitted: boolean,
): readonly string[] {
  if (uids.length === 0) return []
  const when = admitted ? ' after mutating admission happens' : ''
  return [
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
      'and may reject such requests as early as 1.24; please fix your requests; ' +
      `duplicate UID(s) observed: ${uids.join(', ')}`,
  ]
}
