/** Owner references that stand twice: one is dropped, and the sender is told. */
import type { Metadata, OwnerReferenceLike } from '../../kernel/meta/object.ts'
import type { Draft } from './decode.ts'

/** Metadata without owner references that stand twice. */
export interface DistinctOwners {
  readonly metadata: Metadata
  /** What the sender is warned of. */
  readonly warnings: readonly string[]
}

/** The draft of a body without owner references that stand twice, with a warning: what follows, an error too, is told beside it. */
export function withDistinctOwners(draft: Draft): Draft {
  const { metadata, warnings } = distinctOwners(draft.object.metadata, '')
  if (warnings.length === 0) return draft
  const object = { ...draft.object, metadata }
  return { ...draft, object, warnings: [...draft.warnings, ...warnings] }
}

/** Metadata that a patch or a plugin made, without owner references that stand twice. */
export function distinctOwnersAfterAdmission(metadata: Metadata): DistinctOwners {
  return distinctOwners(metadata, ' after mutating admission happens')
}

function distinctOwners(metadata: Metadata, when: string): DistinctOwners {
  const owners = metadata.ownerReferences ?? []
  if (owners.length < 2) return { metadata, warnings: [] }
  const seen = new Set<string>()
  const [kept, dropped]: [OwnerReferenceLike[], string[]] = [[], []]
  for (const owner of owners) {
    const text = ownerText(owner)
    if (seen.has(text)) dropped.push(owner.uid)
    else kept.push(owner)
    seen.add(text)
  }
  if (dropped.length === 0) return { metadata, warnings: [] }
  const warning =
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
    'and may reject such requests as early as 1.24; please fix your requests; ' +
    `duplicate UID(s) observed: ${dropped.join(', ')}`
  return { metadata: { ...metadata, ownerReferences: kept }, warnings: [warning] }
}

/** A text that only equal references share. */
function ownerText(owner: OwnerReferenceLike): string {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
}
